"""How long a test waits for what the product promises within so many seconds.

The promise is for a machine that has time; on one whose cores have a queue, everything takes as many times longer.
"""

from __future__ import annotations

import os


def within(seconds: float) -> float:
    """The bound, times the processes that wait for each core (at least one, at most ten)."""
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * min(max(waiting, 1.0), 10.0)
