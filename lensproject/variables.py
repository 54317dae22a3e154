"""Where settings come from: environment variables by their exact names, and the files that `NAME_FILE` names.

A variable that is empty counts as not set, so that a compose file may pass on what it does not have. Nothing here
repeats a value: it may be a secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import AliasChoices
from pydantic.fields import FieldInfo
from pydantic_settings import PydanticBaseSettingsSource

PREFIX = "LENS_"
FILE = "_FILE"
# Names of ours that are read by the tests alone.
OF_THE_TESTS = ("LENS_TEST_DATABASE",)

_environ: ContextVar[Mapping[str, str]] = ContextVar("environ", default=MappingProxyType({}))


@contextmanager
def read_from(environ: Mapping[str, str]) -> Iterator[None]:
    """Within the block the sources look into `environ`; outside of one they find nothing."""
    token = _environ.set(environ)
    try:
        yield
    finally:
        _environ.reset(token)


def name_of(field_name: str, field: FieldInfo) -> str:
    """The environment variable of a field: its own name where it keeps one, else `LENS_…`."""
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"{PREFIX}{field_name.upper()}"


class VariableSource(PydanticBaseSettingsSource):
    """The value of a field is the text of its variable."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self.text(name_of(field_name, field)), field_name, False

    def __call__(self) -> dict[str, Any]:
        texts = {name: self.text(name_of(name, field)) for name, field in self.settings_cls.model_fields.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def text(self, variable: str) -> str | None:
        return _environ.get().get(variable) or None


class FileSource(VariableSource):
    """The value of a field is the content of the file that `NAME_FILE` names, without the last line break."""

    def text(self, variable: str) -> str | None:
        path = super().text(variable + FILE)
        return None if path is None else content(path) or None


def content(path: str) -> str | None:
    """The text of a file without its last line break; None when it cannot be read, which `unreadable` reports."""
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        return None


def unknown(environ: Mapping[str, str], known: Iterable[str]) -> Iterator[str]:
    """Names that begin like ours and are not: misspelt ones, above all."""
    names = [*known]
    accepted = {*names, *(name + FILE for name in names), *OF_THE_TESTS}
    for name in sorted(environ):
        if name.upper().startswith(PREFIX) and name not in accepted:
            alike = get_close_matches(name.upper(), names, n=1, cutoff=0.75)
            yield f"{name}: no such setting" + (f"; {alike[0]} is one" if alike else "")


def unreadable(environ: Mapping[str, str], known: Iterable[str]) -> Iterator[str]:
    """Settings that are given twice, and files that cannot be read or are empty."""
    for name in known:
        path = environ.get(name + FILE)
        if not path:
            continue
        if environ.get(name):
            yield f"{name}: set twice, by {name} and by {name}{FILE}"
        found = content(path)
        if found is None:
            yield f"{name}{FILE}: the file cannot be read"
        elif not found:
            yield f"{name}{FILE}: the file is empty"
