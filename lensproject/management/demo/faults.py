"""What ends a demo before somebody asks it to."""

from __future__ import annotations


class DemoFailed(Exception):
    """The demo cannot go on; the message says why, in whole sentences, and what to do about it."""
