"""Secrets of one machine, made once and kept under var/keys with mode 0600, for who gives none in the environment."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def local_secret(folder: Path, name: str) -> str:
    """The secret in `folder/name`, 64 hex digits, made when it is not there. Two processes at once agree on one."""
    path = folder / name
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f".{name}.{secrets.token_hex(8)}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
        try:
            os.link(draft, path)  # Fails when another process was first; theirs is then the secret.
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
