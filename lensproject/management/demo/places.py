"""Where the programs of a demo answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lensproject.management.demo.ports import HOST, Listener


@dataclass(frozen=True)
class Places:
    """URLs without a slash at their end; empty where there is no such program."""

    web: str
    seller: str = ""
    ledger: str = ""

    @classmethod
    def of(cls, listeners: Mapping[str, Listener]) -> Places:
        urls = {name: f"http://{HOST}:{listener.port}" for name, listener in listeners.items()}
        return cls(urls["web"], urls.get("seller", ""), urls.get("ledger", ""))

    @property
    def facilitator(self) -> str:
        return f"{self.web}/facilitator"
