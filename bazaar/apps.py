from __future__ import annotations

from django.apps import AppConfig


class BazaarConfig(AppConfig):
    """The catalogue of paid resources (Bazaar) and the prices (Lens)."""

    name = "bazaar"
    verbose_name = "Bazaar and Lens"
    default_auto_field = "django.db.models.BigAutoField"
