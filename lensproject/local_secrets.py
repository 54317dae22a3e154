"""Secrets of one machine, made once and kept under var/keys with mode 0600, for who gives none in the environment."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def local_secret(folder: Path, name: str) -> str:
    """The secret in `folder/name`, 64 hex digits, made when it is not there. Two processes at once agree on one.

    Ends the process (SystemExit) when the folder cannot be written or the file is empty: a secret made up anew at each
    start would end all sessions and keys.
    """
    path = folder / name
    try:
        if not path.exists():
            _make(path)
        found = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise SystemExit(f"The secret {path} cannot be kept there: {error.strerror}.") from None
    if not found:
        raise SystemExit(f"The secret {path} is empty. Restore it, or delete it to have a new one made.")
    return found


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass  # Another process was first; theirs is then the secret.
    finally:
        draft.unlink(missing_ok=True)
