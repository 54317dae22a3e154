"""JSON documents of strangers, measured before anything recurses into them."""

from __future__ import annotations

from typing import Any


def depth(document: Any) -> int:
    """How deep objects and lists are nested; 1 for a bare value. Found level by level: no depth is too much for it."""
    found, level = 0, [document]
    while level:
        found += 1
        inner = [node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list)]
        level = [child for children in inner for child in children]
    return found
