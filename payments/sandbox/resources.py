"""What a contract call costs beside its inclusion fee. The formula has the network's shape; the prices are our own.

They are chosen so that a transfer costs about 30,000 stroops. Real prices move; nothing here predicts them.
"""

from __future__ import annotations

from dataclasses import dataclass

from stellar_sdk import xdr

INSTRUCTION_FEE = 25
"""Per 10,000 instructions."""
READ_ENTRY_FEE, WRITE_ENTRY_FEE = 1563, 2500
READ_KB_FEE, WRITE_KB_FEE = 447, 875
HISTORY_KB_FEE, BANDWIDTH_KB_FEE, EVENT_KB_FEE = 4059, 406, 2500
RENT = 1200
"""Of one temporary entry for its least life."""
CALL_INSTRUCTIONS, ENTRY_INSTRUCTIONS = 400_000, 150_000
FRAME_BYTES = 160
"""Of an envelope around the operation and its resources: source, fee, sequence, time bounds."""
SIGNED_BYTES = 500
"""What signatures may still add to a transaction that is simulated."""
_CLASSIC = (xdr.LedgerEntryType.ACCOUNT, xdr.LedgerEntryType.TRUSTLINE)


@dataclass(frozen=True)
class Cost:
    """Stroops: `fixed` is charged whatever happens, `refundable` is a bound of which the unused part comes back."""

    fixed: int
    refundable: int

    @property
    def total(self) -> int:
        return self.fixed + self.refundable


def needed(read_only: list[bytes], read_write: list[bytes], sizes: dict[bytes, int]) -> xdr.SorobanResources:
    """The resources of a call that touched these entries; `sizes` has their bytes."""
    keys = {key: xdr.LedgerKey.from_xdr_bytes(key) for key in [*read_only, *read_write]}
    footprint = xdr.LedgerFootprint([keys[key] for key in read_only], [keys[key] for key in read_write])
    from_disk = sum(sizes.get(key, 0) for key, read in keys.items() if read.type in _CLASSIC)
    return xdr.SorobanResources(
        footprint,
        instructions=xdr.Uint32(CALL_INSTRUCTIONS + ENTRY_INSTRUCTIONS * len(keys)),
        disk_read_bytes=xdr.Uint32(from_disk),
        write_bytes=xdr.Uint32(sum(sizes.get(key, 0) for key in read_write)),
    )


def fixed_fee(resources: xdr.SorobanResources, transaction_bytes: int) -> int:
    """What the declared resources cost, used or not."""
    footprint = resources.footprint
    every = [*footprint.read_only, *footprint.read_write]
    disk_reads = sum(key.type in _CLASSIC for key in every)
    return (
        _per(resources.instructions.uint32, INSTRUCTION_FEE, 10_000)
        + disk_reads * READ_ENTRY_FEE
        + len(footprint.read_write) * WRITE_ENTRY_FEE
        + _per(resources.disk_read_bytes.uint32, READ_KB_FEE)
        + _per(resources.write_bytes.uint32, WRITE_KB_FEE)
        + _per(transaction_bytes, HISTORY_KB_FEE + BANDWIDTH_KB_FEE)
    )


def refundable_fee(event_bytes: int, new_temporary_entries: int) -> int:
    return _per(event_bytes, EVENT_KB_FEE) + new_temporary_entries * RENT


def simulated(
    resources: xdr.SorobanResources, transaction_bytes: int, event_bytes: int, new_temporary_entries: int
) -> Cost:
    """What to ask for before the call is signed: with room for signatures, and 15 % more of what is given back."""
    refundable = refundable_fee(event_bytes, new_temporary_entries)
    return Cost(fixed_fee(resources, transaction_bytes + SIGNED_BYTES), refundable + _per(refundable, 15, 100))


def _per(amount: int, price: int, unit: int = 1024) -> int:
    return -(-amount * price // unit)
