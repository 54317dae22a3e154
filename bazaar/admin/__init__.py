"""The operator's pages of networks, sellers, the catalogue and the markets."""

from __future__ import annotations

from bazaar.admin import assets, entries, markets, networks, options, pairs, sellers, venues

__all__ = ["assets", "entries", "markets", "networks", "options", "pairs", "sellers", "venues"]
