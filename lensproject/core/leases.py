"""Leases: one holder at a time for a named piece of work, in one row of the database, taken by one conditional UPDATE.

A lease ends by itself when its holder does not renew it, so whatever a killed process held can be taken again. Each
take-over gets a higher number, the fence: who holds an old one finds that a statement that names it changes nothing.
Times are this process's (`core.clock`): the clocks of the machines that share a database must agree to well under the
life of a lease.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, QuerySet

from lensproject.core import clock
from lensproject.core.models import Lease

HORIZON_SECONDS = 3600.0
"""The longest life that a lease may be given. One that ends later was written under a wrong clock."""


def take(name: str, holder: str, seconds: float, *, horizon: float = HORIZON_SECONDS) -> int | None:
    """Hold the lease for `seconds`. Returns its fence, or None when another has it or it is not free yet.

    A lease that cannot be taken for more than `horizon` seconds is taken all the same, so that a clock that once was
    years ahead does not stop the work for years.
    """
    now = clock.now()
    takeable = Q(until__lte=now) | Q(until__gt=now + timedelta(seconds=max(horizon, seconds)))
    fence = _fence(name, takeable, now)
    if fence is None:
        return None
    taken = Lease.objects.filter(takeable, name=name, fence=fence).update(
        holder=holder, until=now + timedelta(seconds=seconds), fence=fence + 1
    )
    return fence + 1 if taken else None


def renew(name: str, fence: int, seconds: float) -> bool:
    """Hold the lease for `seconds` from now. False when it was lost: taken over, released or removed.

    One that ran out and that nobody took since is as good as held: its fence has not changed.
    """
    until = clock.now() + timedelta(seconds=seconds)
    return _held(name, fence).update(until=until) == 1


def release(name: str, fence: int, *, free_from: datetime | None = None, failures: int | None = None) -> bool:
    """Give the lease back, to be taken from `free_from` on (default: at once). False when it was lost before.

    `failures` is written down with it; None leaves what is there.
    """
    until = clock.now() if free_from is None else free_from
    counted = {} if failures is None else {"failures": failures}
    return _held(name, fence).update(holder="", until=until, **counted) == 1


def remove(name: str, fence: int) -> bool:
    """Give back a lease whose name nobody will use again. False when it was lost before."""
    return _held(name, fence).delete()[0] == 1


def still_held(name: str, fence: int) -> bool:
    """Whether the lease with this fence is held and has not run out.

    Asked inside a transaction it also stays so until the transaction ends: nobody can take the lease over meanwhile.
    """
    held = _held(name, fence).filter(until__gt=clock.now())
    if connection.in_atomic_block:
        return held.select_for_update().first() is not None
    return held.exists()


def _held(name: str, fence: int) -> QuerySet[Lease]:
    return Lease.objects.filter(name=name, fence=fence).exclude(holder="")


def _fence(name: str, takeable: Q, now: datetime) -> int | None:
    """The fence of a lease that looks takeable. Looking first spares SQLite the write lock when it is not."""
    leases = Lease.objects.filter(name=name)
    fence = leases.filter(takeable).values_list("fence", flat=True).first()
    if fence is not None or leases.exists():
        return fence
    Lease.objects.bulk_create([Lease(name=name, until=now)], ignore_conflicts=True)
    return 0
