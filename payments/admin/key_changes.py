"""Replacing the secret of a key, and revoking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from lensproject.core.admin import Danger, Fact
from lensproject.core.admin.display import moment_text
from payments.admin.shown_once import show_token
from payments.authentication.keys import revoke_key, rotate_key
from payments.models import ApiKey


class KeyChange(Danger[ApiKey]):
    def unavailable(self, row: ApiKey) -> str | None:
        return None if row.revoked_at is None else "it is revoked, for good"

    def effect(self, row: ApiKey, answers: Mapping[str, Any]) -> Sequence[Fact]:
        used = "never used" if row.last_used_at is None else f"last used {moment_text(row.last_used_at)}"
        opens = ", ".join(sorted(row.scopes))
        return (Fact("The key with this secret", f"works, {used}", "is refused"), Fact("Scopes", opens, self.keeps))

    keeps = ""


class RotateKey(KeyChange):
    slug, label, done = "rotate", "Replace the secret", "replaced"
    permission = "payments.rotate_apikey"
    keeps = "the same, on a new key that is shown once"

    def act(self, row: ApiKey, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return rotate_key(row, row_version=row_version, by=by, reason=reason)

    def respond(self, request: HttpRequest, row: ApiKey, result: Any) -> HttpResponse:
        key, token = result
        return show_token(request, key, token)


class RevokeKey(KeyChange):
    slug, label, done = "revoke", "Revoke", "revoked"
    permission = "payments.revoke_apikey"
    keeps = "none"

    def act(self, row: ApiKey, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return revoke_key(row, row_version=row_version, by=by, reason=reason)
