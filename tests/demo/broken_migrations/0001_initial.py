from __future__ import annotations

from importlib import import_module

Migration = import_module("lensproject.core.migrations.0001_initial").Migration
