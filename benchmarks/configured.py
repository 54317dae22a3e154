"""Imported before anything of the platform: Django with the settings of the tests, whose values are fixed."""

from __future__ import annotations

import os

import django
from django.apps import apps

if not apps.ready:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
