"""The bases of every page on the operator's desk; they know no app."""

from __future__ import annotations

from lensproject.core.admin.base import BaseAdmin, ReadOnlyAdmin
from lensproject.core.admin.curated import CuratedAdmin
from lensproject.core.admin.dangers import Danger, Fact, ReasonForm
from lensproject.core.admin.forms import CuratedForm

__all__ = ["BaseAdmin", "CuratedAdmin", "CuratedForm", "Danger", "Fact", "ReadOnlyAdmin", "ReasonForm"]
