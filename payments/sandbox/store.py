"""The ledger's own SQLite file. One transaction of it is one ledger: after a crash the last whole ledger is there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from payments.sandbox.closing import Closed, Previous
from payments.sandbox.network import Network
from payments.sandbox.places import Place
from payments.sandbox.records import EventRow, LedgerRow, TransactionRow, event_rows, ledger_row, transaction_rows
from payments.sandbox.state import Entry

REMEMBERED = 128
"""Ledgers for which older states of entries are kept, so that a node that is behind can be asked."""
MOST_CACHED = 20_000
SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledgers (sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL, close_time INTEGER NOT NULL,
  header BLOB NOT NULL, meta BLOB NOT NULL, fee_pool INTEGER NOT NULL, state_hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS transactions (hash BLOB PRIMARY KEY, inner_hash BLOB NOT NULL, ledger INTEGER NOT NULL,
  position INTEGER NOT NULL, succeeded INTEGER NOT NULL, fee_bump INTEGER NOT NULL, soroban INTEGER NOT NULL,
  inclusion_fee INTEGER NOT NULL, envelope BLOB NOT NULL, result BLOB NOT NULL, meta BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transactions_inner ON transactions (inner_hash);
CREATE UNIQUE INDEX IF NOT EXISTS transactions_place ON transactions (ledger, position);
CREATE TABLE IF NOT EXISTS events (ledger INTEGER NOT NULL, tx INTEGER NOT NULL, op INTEGER NOT NULL,
  number INTEGER NOT NULL, kind TEXT NOT NULL, contract TEXT NOT NULL, topics TEXT NOT NULL, value TEXT NOT NULL,
  position INTEGER NOT NULL, operation INTEGER NOT NULL, transaction_hash BLOB NOT NULL,
  PRIMARY KEY (ledger, tx, op, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, data BLOB NOT NULL, modified INTEGER NOT NULL,
  live_until INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entries_life ON entries (live_until) WHERE live_until IS NOT NULL;
CREATE TABLE IF NOT EXISTS history (key BLOB NOT NULL, ledger INTEGER NOT NULL, data BLOB, modified INTEGER,
  live_until INTEGER, PRIMARY KEY (key, ledger)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS history_ledger ON history (ledger);
"""
TABLES = ("ledgers", "transactions", "events", "entries", "history")


class FileRefused(Exception):
    """The file cannot be this ledger's: another network's, in use by another process, or no ledger at all."""


class Store:
    def __init__(self, file: Path, network: Network) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.network = network
        self._cache: dict[bytes, Entry | None] = {}
        self._connection = sqlite3.connect(file, isolation_level=None, timeout=0.5)
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise FileRefused(f"{file} cannot be used: {error}; is another ledger running on it?") from error
        except FileRefused:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        # Exclusive: two processes on one file would make two ledgers of one number.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(SCHEMA)
        self._claim("network", self.network.name)
        self._claim("life of temporary entries", str(self.network.minimum_temporary_ttl))

    def _claim(self, name: str, value: str) -> None:
        """The first start writes what the file is made for; later ones must want the same."""
        self._connection.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
        (held,) = self._connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        if held != value:
            raise FileRefused(f"the file was made with the {name} {held}, not {value}; choose another file")

    def close(self) -> None:
        self._connection.close()

    def write(self, closed: Closed) -> LedgerRow:
        """Store a closed ledger, whole or not at all, and forget what is past the retention."""
        row = ledger_row(closed)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._insert("ledgers", vars(row).values())
            for transaction in transaction_rows(closed):
                self._insert("transactions", vars(transaction).values())
            for event in event_rows(closed, self.network):
                self._insert("events", _event_values(event))
            self._write_entries(closed)
            self._forget(row.sequence)
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        for change in closed.changes:
            self._cache[change.key] = change.after
        return row

    def _write_entries(self, closed: Closed) -> None:
        sequence = closed.previous.sequence
        for change in closed.changes:
            self._insert("history", (change.key, sequence, *_entry_values(change.before)))
            if change.after is None:
                self._connection.execute("DELETE FROM entries WHERE key = ?", (change.key,))
            else:
                self._connection.execute(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", (change.key, *_entry_values(change.after))
                )

    def _forget(self, sequence: int) -> None:
        self.cut(sequence - self.network.retention + 1)
        self._connection.execute("DELETE FROM history WHERE ledger <= ?", (sequence - REMEMBERED,))
        self._connection.execute("DELETE FROM entries WHERE live_until < ?", (sequence - REMEMBERED,))
        if len(self._cache) > MOST_CACHED:
            self._cache.clear()

    def cut(self, oldest: int) -> None:
        """Forget ledgers, transactions and events before `oldest`."""
        self._connection.execute("DELETE FROM ledgers WHERE sequence < ?", (oldest,))
        self._connection.execute("DELETE FROM transactions WHERE ledger < ?", (oldest,))
        self._connection.execute("DELETE FROM events WHERE ledger < ?", (oldest,))

    def erase(self) -> None:
        """As a network reset does: everything is gone."""
        self._connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own
        self._connection.execute("COMMIT")
        self._cache.clear()

    def get(self, key: bytes) -> Entry | None:
        """The entry as the latest ledger left it."""
        if key not in self._cache:
            row = self._connection.execute(
                "SELECT data, modified, live_until FROM entries WHERE key = ?", (key,)
            ).fetchone()
            self._cache[key] = None if row is None else Entry(*row)
        return self._cache[key]

    def get_at(self, key: bytes, ledger: int) -> Entry | None:
        """The entry as an earlier ledger left it; at most REMEMBERED ledgers ago."""
        row = self._connection.execute(
            "SELECT data, modified, live_until FROM history WHERE key = ? AND ledger > ? ORDER BY ledger LIMIT 1",
            (key, ledger),
        ).fetchone()
        if row is None:
            return self.get(key)
        return None if row[0] is None else Entry(*row)

    def latest(self) -> LedgerRow | None:
        row = self._connection.execute("SELECT * FROM ledgers ORDER BY sequence DESC LIMIT 1").fetchone()
        return None if row is None else LedgerRow(*row)

    def oldest(self) -> LedgerRow | None:
        row = self._connection.execute("SELECT * FROM ledgers ORDER BY sequence LIMIT 1").fetchone()
        return None if row is None else LedgerRow(*row)

    def ledgers(self, first: int, last: int, limit: int) -> list[LedgerRow]:
        rows = self._connection.execute(
            "SELECT * FROM ledgers WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?", (first, last, limit)
        )
        return [LedgerRow(*row) for row in rows]

    def transaction(self, transaction_hash: bytes, latest: int) -> TransactionRow | None:
        """By the hash of what was sent, or of the transaction inside a fee bump."""
        row = self._connection.execute(
            "SELECT * FROM transactions WHERE (hash = ?1 OR inner_hash = ?1) AND ledger <= ?2",
            (transaction_hash, latest),
        ).fetchone()
        return None if row is None else _transaction(row)

    def transactions(self, after: Place, last: int, limit: int) -> list[TransactionRow]:
        rows = self._connection.execute(
            "SELECT * FROM transactions WHERE (ledger, position) > (?, ?) AND ledger <= ? "
            "ORDER BY ledger, position LIMIT ?",
            (after.ledger, after.transaction, last, limit),
        )
        return [_transaction(row) for row in rows]

    def events(self, after: Place, last: int) -> Iterator[EventRow]:
        rows = self._connection.execute(
            "SELECT * FROM events WHERE (ledger, tx, op, number) > (?, ?, ?, ?) AND ledger <= ? "
            "ORDER BY ledger, tx, op, number",
            (after.ledger, after.transaction, after.operation, after.event, last),
        )
        for row in rows:
            yield EventRow(Place(*row[:4]), *row[4:])

    def inclusion_fees(self, first: int, last: int, *, soroban: bool) -> list[int]:
        rows = self._connection.execute(
            "SELECT inclusion_fee FROM transactions WHERE ledger BETWEEN ? AND ? AND soroban = ? ORDER BY 1",
            (first, last, soroban),
        )
        return [fee for (fee,) in rows]

    def every_entry(self) -> Iterator[tuple[bytes, Entry]]:
        for key, *values in self._connection.execute("SELECT key, data, modified, live_until FROM entries"):
            yield key, Entry(*values)

    def _insert(self, table: str, values: Iterable[object]) -> None:
        found = tuple(values)
        marks = ", ".join("?" * len(found))
        self._connection.execute(f"INSERT INTO {table} VALUES ({marks})", found)  # noqa: S608 - names of our own


def previous_of(row: LedgerRow) -> Previous:
    return Previous(row.sequence, row.hash, row.close_time, row.fee_pool, row.state_hash)


def _entry_values(entry: Entry | None) -> tuple[bytes | None, int | None, int | None]:
    return (None, None, None) if entry is None else (entry.data, entry.modified, entry.live_until)


def _event_values(event: EventRow) -> tuple[object, ...]:
    place, *rest = vars(event).values()
    return (*vars(place).values(), *rest)


def _transaction(row: tuple[object, ...]) -> TransactionRow:
    values = dict(zip(TransactionRow.__dataclass_fields__, row, strict=True))
    flags = {name: bool(values[name]) for name in ("succeeded", "fee_bump", "soroban")}
    return TransactionRow(**{**values, **flags})  # type: ignore[arg-type]
