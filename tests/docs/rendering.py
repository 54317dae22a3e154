"""The parts of the documentation that follow from the code. `python -m tests.docs.rendering` writes them anew.

In a page such a part stands between `<!-- name -->` and `<!-- /name -->`; .env.example is one as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import django.core.management
from django.apps import apps
from django.core.management import BaseCommand, find_commands, get_commands, load_command_class
from pydantic import AfterValidator, SecretStr
from pydantic.fields import FieldInfo

from lensproject import environment, setting_types
from lensproject.core.errors import CODES
from lensproject.databases import DatabaseUrl
from lensproject.environment import ROOT, Environment

DOCS = ROOT / "docs"
DECLARING = ("lensproject.core.rest.refusals", "bazaar.errors", "payments.errors")
VALIDATED = {setting_types.origin: "URL", setting_types.redis_url: "URL", setting_types.known_zone: "time zone"}


def settings_table() -> str:
    """A row for every setting: variable, type, default, secret, meaning."""
    lines = ["| variable | type | default | secret | meaning |", "|---|---|---|---|---|"]
    for name, field in Environment.model_fields.items():
        default = default_text(field)
        secret = "yes" if environment.is_secret(name) else "no"
        shown = f"`{default}`" if default else "unset"
        row = [f"`{environment.variable(name)}`", kind(field), shown, secret, str(field.description)]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def env_example() -> str:
    """.env.example: every setting with its meaning, commented out at its default."""
    head = [
        "# Every setting of the platform, each at its default. Take the # away and write your value.",
        "# NAME_FILE=/path instead of NAME=value reads the value from a file, for secrets. docs/settings.md says more.",
    ]
    return "\n".join([*head, *env_lines()]) + "\n"


def env_lines() -> Iterator[str]:
    for name, field in Environment.model_fields.items():
        secret = " Secret." if environment.is_secret(name) else ""
        yield ""
        yield f"# {field.description}{secret} ({plain(kind(field))})"
        yield f"#{environment.variable(name)}={default_text(field)}"


def errors_table() -> str:
    """A row for every error code."""
    for module in DECLARING:
        import_module(module)
    lines = ["| code | HTTP | ask again | meaning |", "|---|---|---|---|"]
    for code in sorted(CODES.values(), key=lambda code: (code.status, code.name)):
        lines.append(f"| `{code.name}` | {code.status} | {'yes' if code.retryable else 'no'} | {code.meaning} |")
    return "\n".join(lines)


def commands() -> str:
    """A section for every command of ours: what it does, and its options."""
    return "\n\n".join(_command(name, app) for name, app in sorted(own_commands().items()))


def own_commands() -> dict[str, str]:
    """Our management commands with their apps, without those that only change one of Django's."""
    ours = [
        app.name for app in apps.get_app_configs() if Path(app.path).is_relative_to(ROOT) and ".venv" not in app.path
    ]
    found = {name: app for name, app in get_commands().items() if app in ours}
    return {name: app for name, app in found.items() if name not in find_commands(django.core.management.__path__[0])}


def _command(name: str, app: str) -> str:
    command = load_command_class(app, name)
    lines = [f"## {name}", "", " ".join(str(command.help).split())]
    usual = {action.dest for action in BaseCommand().create_parser("manage.py", name)._actions}
    options = [action for action in command.create_parser("manage.py", name)._actions if action.dest not in usual]
    if options:
        lines += ["", "| option | what |", "|---|---|"]
    for option in options:
        what = " ".join((option.help or "").split()) % vars(option)
        lines.append(f"| `{', '.join(option.option_strings) or option.dest}` | {what} |")
    return "\n".join(lines)


def kind(field: FieldInfo) -> str:
    """The type of a setting in words."""
    annotation = field.annotation
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(option for option in get_args(annotation) if option is not type(None))
    metadata = [*field.metadata, *getattr(annotation, "__metadata__", ())]
    bare = get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
    for validator in metadata:
        if isinstance(validator, AfterValidator) and validator.func in VALIDATED:
            return VALIDATED[validator.func]
    if get_origin(bare) is Literal:
        return ", ".join(f"`{option}`" for option in get_args(bare))
    if get_origin(bare) is tuple:
        return "list"
    if bare is int:
        return f"whole number{bounds(field)}"
    words: dict[Any, str] = {bool: "`true` or `false`", SecretStr: "text", DatabaseUrl: "URL", Path: "path"}
    return words[bare]


def bounds(field: FieldInfo) -> str:
    found = {name: getattr(limit, name) for limit in field.metadata for name in ("ge", "le") if hasattr(limit, name)}
    if not found:
        return ""
    return f", {found['ge']} to {found['le']}" if len(found) == 2 else f" from {found['ge']}"


def default_text(field: FieldInfo) -> str:
    """The default as one would write it; nothing where there is none."""
    value: Any = field.default
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Path):
        return str(value.relative_to(ROOT))
    return ",".join(value) if isinstance(value, tuple) else str(value)


def plain(text: str) -> str:
    return text.replace("`", "")


PARTS: dict[tuple[str, str], Callable[[], str]] = {
    ("settings.md", "settings"): settings_table,
    ("errors.md", "codes"): errors_table,
    ("commands.md", "commands"): commands,
}


def part_of(page: str, name: str) -> str:
    """What stands in a page between its marks."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", (DOCS / page).read_text(), re.DOTALL)
    return found[1] if found else ""


def write() -> None:
    for (page, name), render in PARTS.items():
        text = (DOCS / page).read_text()
        marked = f"<!-- {name} -->\n{render()}\n<!-- /{name} -->"
        pattern = rf"<!-- {name} -->.*?<!-- /{name} -->"
        (DOCS / page).write_text(re.sub(pattern, marked.replace("\\", r"\\"), text, flags=re.DOTALL))
    (ROOT / ".env.example").write_text(env_example())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    write()
