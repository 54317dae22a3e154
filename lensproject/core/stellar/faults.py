"""How asking a node fails. `may_have_arrived` tells whether the node may have read the request all the same."""

from __future__ import annotations


class NodeFault(Exception):
    """Base. The message names the method, never the node's URL: its path and query can carry a key."""

    def __init__(self, message: str, *, may_have_arrived: bool = True) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived


class NodeAway(NodeFault):
    """No answer: no connection, none in time, broken off, or the node says that it is overloaded."""


class NodeGarbage(NodeFault):
    """An answer that is none: HTML, no strict JSON, too long, another id, or fields of another type."""


class NodeAnswer(NodeFault):
    """A JSON-RPC error object: the node read the request and refuses it."""

    def __init__(self, method: str, code: int, text: str) -> None:
        super().__init__(f"{method}: the node answers error {code}: {text}")
        self.code = code
        self.text = text
