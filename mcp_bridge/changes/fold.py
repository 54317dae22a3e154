"""Old rows of the change log counted into totals, so that it stays small (PostgreSQL; SQLite has one row for a key)."""

from __future__ import annotations

from datetime import timedelta

from django.db import connections

from lensproject.core.jobs import every

# A sweeper that was silent for less than sweep.LONGEST_SILENCE must still find what it has not seen.
KEEP = timedelta(seconds=30)
EVERY_SECONDS = 10

# Rows that every snapshot sees and that are old enough, and rows of another cluster: after a restore their transactions
# lie in this one's future. One statement: a generation counts a row here or there, never twice or not at all.
_FOLD = """
WITH gone AS (
  DELETE FROM mcp_bridge_change
   WHERE (xid < pg_snapshot_xmin(pg_current_snapshot()) AND changed_at < clock_timestamp() - make_interval(secs => %s))
      OR xid >= pg_snapshot_xmax(pg_current_snapshot())
  RETURNING topic, key, changed_at
), sums AS (
  SELECT topic, coalesce(key, '') AS key, count(*) AS changes, max(changed_at) AS changed_at
    FROM gone GROUP BY GROUPING SETS ((topic, key), (topic))
), totals AS (
  INSERT INTO mcp_bridge_changetotal AS t (topic, key, changes, changed_at) SELECT * FROM sums ORDER BY topic, key
  ON CONFLICT (topic, key) DO UPDATE
  SET changes = t.changes + excluded.changes, changed_at = greatest(t.changed_at, excluded.changed_at)
)
SELECT count(*) FROM gone
"""


@every(EVERY_SECONDS, vendor="postgresql")
def fold(using: str = "default", *, keep: timedelta = KEEP) -> int:
    """Fold what is older than `keep`; gives how many rows. One process runs it; another one at once is harmless."""
    connection = connections[using]
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_FOLD, [keep.total_seconds()])
        return int(cursor.fetchone()[0])
