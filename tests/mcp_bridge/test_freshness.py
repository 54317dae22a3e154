"""The rule of reading, on rows that are committed and triggers that are real."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group
from django.db import connection, transaction

from lensproject.core import versions
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import NotFound, PermissionDenied, Unauthenticated
from mcp_bridge import freshness
from mcp_bridge.changes import generation
from mcp_bridge.freshness import BridgeVersions, Snapshot
from mcp_bridge.registry import Registry, add_resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import ResourceResponse
from tests.mcp_bridge.offering import resources

WRITER = Caller("agent", "key_7", frozenset({"write"}))


def look(registry: Registry, uri: str, caller: Caller = ANONYMOUS) -> Snapshot:
    found = registry.resource(uri)
    assert found is not None
    request = ResourceRequest(params={}, uri=uri, definition=found, caller=caller)
    return async_to_sync(freshness.look)(found, request)


def body(snapshot: Snapshot) -> bytes:
    return b"".join(content.body for content in snapshot.contents)


def test_a_payload_of_rows_is_rendered_once_for_each_state(rows: Registry) -> None:
    first = look(rows, "test://groups")
    assert look(rows, "test://groups") == first
    assert len(resources.RENDERED) == 1
    Group.objects.create(name="one")
    second = look(rows, "test://groups")
    assert body(second) == b'{"groups":["one"]}'
    assert len(resources.RENDERED) == 2
    assert second.version == f"sha256:{sha256(body(second)).hexdigest()}" != first.version


@pytest.mark.parametrize("way", ["update", "bulk_create", "raw sql", "delete"])
def test_rows_changed_in_any_way_are_seen_at_the_next_read(rows: Registry, way: str) -> None:
    Group.objects.create(name="one")
    before = look(rows, "test://groups")
    if way == "update":
        Group.objects.filter(name="one").update(name="two")
    elif way == "bulk_create":
        Group.objects.bulk_create([Group(name="two")])
    elif way == "raw sql":
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO auth_group (name) VALUES ('two')")
    else:
        Group.objects.all().delete()
    after = look(rows, "test://groups")
    assert after.version != before.version
    assert before.last_modified is not None
    assert after.last_modified is not None
    assert after.last_modified >= before.last_modified


def test_an_update_that_changes_nothing_moves_nothing(rows: Registry) -> None:
    Group.objects.create(name="one")
    before = look(rows, "test://groups")
    Group.objects.update(name="one")
    assert look(rows, "test://groups") == before
    assert len(resources.RENDERED) == 1


def test_a_key_follows_its_own_row_only(rows: Registry) -> None:
    before = look(rows, "test://groups/one")
    Group.objects.create(name="another")
    assert look(rows, "test://groups/one") == before
    Group.objects.create(name="one")
    assert body(look(rows, "test://groups/one")) == b'{"exists":true}'


def test_inside_a_transaction_its_own_rows_are_seen_and_nothing_is_kept(rows: Registry) -> None:
    empty = look(rows, "test://groups")
    found = rows.resource("test://groups")
    assert found is not None
    request = ResourceRequest(params={}, uri="test://groups")
    with transaction.atomic():
        Group.objects.create(name="never")
        assert body(freshness.look_now(found, request)) == b'{"groups":["never"]}'
        transaction.set_rollback(True)
    assert look(rows, "test://groups") == empty


def test_a_commit_while_a_payload_is_rendered_does_not_stay_unseen(rows: Registry) -> None:
    renderings: list[int] = []

    def commit_one() -> None:
        Group.objects.create(name="meanwhile")
        connection.close()

    def slow(request: ResourceRequest, response: ResourceResponse) -> dict[str, int]:
        counted = Group.objects.count()
        renderings.append(counted)
        if len(renderings) == 1:
            writer = threading.Thread(target=commit_one)
            writer.start()
            writer.join()
        return {"count": counted}

    add_resource("rows", uri="test://slow", description="S.", handler=slow, topics=(resources.TOPIC,), to=rows)
    snapshot = look(rows, "test://slow")
    assert (body(snapshot), renderings) == (b'{"count":1}', [0, 1])
    assert snapshot.last_modified == generation((resources.TOPIC,)).last_modified


def test_a_private_payload_is_kept_for_its_reader_only(rows: Registry) -> None:
    other = Caller("other", "key_8", frozenset({"write"}))
    assert b"agent" in body(look(rows, "test://mine", WRITER))
    assert b"other" in body(look(rows, "test://mine", other))
    assert b"agent" in body(look(rows, "test://mine", WRITER))


def test_a_file_that_was_replaced_is_read_anew_with_its_own_time(rows: Registry) -> None:
    path = Path(os.environ["OFFERING_FILE"])
    os.utime(path, (1_000_000, 1_000_000))
    assert look(rows, "test://file").last_modified == datetime.fromtimestamp(1_000_000, UTC)
    path.write_text("new")
    os.utime(path, (2_000_000, 2_000_000))
    snapshot = look(rows, "test://file")
    assert (body(snapshot), snapshot.last_modified) == (b"new", datetime.fromtimestamp(2_000_000, UTC))


def test_a_file_replaced_while_it_is_read_is_read_again(rows: Registry) -> None:
    path = Path(os.environ["OFFERING_FILE"])
    reads: list[bytes] = []

    def file(request: ResourceRequest, response: ResourceResponse) -> bytes:
        reads.append(path.read_bytes())
        if len(reads) == 1:
            path.write_text("second")
            os.utime(path, (2_000_000, 2_000_000))
        return reads[-1]

    add_resource("f", uri="test://moving", description="M.", handler=file, modified=resources.file_changed, to=rows)
    snapshot = look(rows, "test://moving")
    assert (body(snapshot), len(reads)) == (b"second", 2)
    assert snapshot.last_modified == datetime.fromtimestamp(2_000_000, UTC)


def test_several_contents_have_one_version_over_all(rows: Registry) -> None:
    def two(request: ResourceRequest, response: ResourceResponse) -> ResourceResponse:
        return response.text("ab").blob(b"c")

    add_resource("f", uri="test://two", description="T.", handler=two, to=rows)
    snapshot = look(rows, "test://two")
    assert (snapshot.size, snapshot.version) == (3, f"sha256:{sha256(b'abc').hexdigest()}")


def test_rest_gets_the_bytes_version_and_time_of_mcp(rows: Registry) -> None:
    Group.objects.create(name="one")
    found = BridgeVersions(rows).read("test://groups", ANONYMOUS)
    snapshot = look(rows, "test://groups")
    assert found == versions.Versioned(body(snapshot), "application/json", snapshot.version, snapshot.last_modified)


def test_rest_gets_what_a_coroutine_answers_too(rows: Registry) -> None:
    assert BridgeVersions(rows).read("test://awaited", ANONYMOUS).body == b"from a coroutine"


def test_rest_is_told_when_the_rows_of_topics_changed(rows: Registry) -> None:
    Group.objects.create(name="one")
    bridge = BridgeVersions(rows)
    assert bridge.last_modified([resources.TOPIC]) == look(rows, "test://groups").last_modified
    assert bridge.last_modified([resources.TOPIC], ["one"]) == look(rows, "test://groups/one").last_modified


def test_rest_is_refused_as_mcp_is(rows: Registry) -> None:
    bridge = BridgeVersions(rows)
    with pytest.raises(NotFound):
        bridge.read("test://nowhere", ANONYMOUS)
    with pytest.raises(Unauthenticated):
        bridge.read("test://mine", ANONYMOUS)
    with pytest.raises(PermissionDenied):
        bridge.read("test://mine", Caller("a", "k", frozenset({"read"})))
    assert bridge.read("test://mine", WRITER).mime_type == "application/json"


def test_the_bridge_provides_itself_to_the_other_doors() -> None:
    assert isinstance(versions.current(), BridgeVersions)
