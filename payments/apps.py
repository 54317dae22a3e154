from __future__ import annotations

from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    """Agents, keys, policies and budgets; later what was paid and the proof of it."""

    name = "payments"
    verbose_name = "Payments"
    default_auto_field = "django.db.models.BigAutoField"
