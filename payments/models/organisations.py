"""Organisations and their teams: whom agents, keys and budgets belong to."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from lensproject.core import triggers
from lensproject.core.ids import public_id
from lensproject.core.models import Curated


def organisation_id() -> str:
    return public_id("organisation")


class Organisation(Curated):
    """The outermost scope of policies and budgets."""

    public_id = models.CharField(max_length=48, unique=True, default=organisation_id, editable=False)
    name = models.CharField(max_length=80, unique=True)

    class Meta:
        ordering = ("name",)
        constraints = (models.CheckConstraint(condition=~Q(name=""), name="organisation_name_given"),)

    def __str__(self) -> str:
        return self.name


class Team(Curated):
    """A part of an organisation that agents belong to."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ("organisation_id", "name")
        constraints = (
            models.UniqueConstraint(
                fields=("organisation", "name"),
                name="team_name_once",
                violation_error_message="The organisation has a team of that name.",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="team_name_given"),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.organisation.name}"


triggers.immutable(
    "team_organisation_fixed", "payments_team", ("organisation_id",), message="a team stays in its organisation"
)
