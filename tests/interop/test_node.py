"""How Node is found and asked, and how its packages come to be the locked ones."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.interop.node import (
    ADVICE,
    FOLDER,
    InstallFailed,
    Node,
    NodeNeeded,
    ScriptFailed,
    install,
    lock_hash,
    node_program,
    npm_program,
    running_node,
)

PINS = {
    "@stellar/stellar-sdk": "14.6.1",
    "@x402/core": "2.27.0",
    "@x402/extensions": "2.27.0",
    "@x402/fetch": "2.27.0",
    "@x402/stellar": "2.9.0",
    "stellar-sdk-17": "17.2.0",
}


def program(place: Path, name: str, says: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    made = place / name
    made.write_text(f"#!/bin/sh\necho '{says}'\n")
    made.chmod(0o755)
    return made


def empty_project(folder: Path) -> Path:
    """A package that needs no other, so that npm asks nobody."""
    about = {"name": "nothing", "version": "1.0.0"}
    (folder / "package.json").write_text(json.dumps(about))
    lock = {**about, "lockfileVersion": 3, "requires": True, "packages": {"": about}}
    (folder / "package-lock.json").write_text(json.dumps(lock))
    (folder / ".npmrc").write_text("offline=true\n")
    return folder


def test_the_first_node_that_is_new_enough_is_taken(tmp_path: Path) -> None:
    program(tmp_path / "a", "node", "v18.20.4")
    wanted = program(tmp_path / "b", "node", "v20.0.0")
    program(tmp_path / "c", "node", "v26.1.0")
    places = [tmp_path / name for name in ("nowhere", "a", "b", "c")]
    assert node_program(places) == wanted


def test_without_node_the_packages_to_install_are_named(tmp_path: Path) -> None:
    with pytest.raises(NodeNeeded) as raised:
        node_program([tmp_path])
    assert str(raised.value) == ADVICE
    assert "apt-get install nodejs npm" in ADVICE


@pytest.mark.parametrize(("says", "told"), [("v18.20.4", "is v18.20.4."), ("", "is no Node.js.")])
def test_an_older_node_is_an_error_that_tells_its_version(tmp_path: Path, says: str, told: str) -> None:
    old = program(tmp_path, "node", says)
    with pytest.raises(NodeNeeded) as raised:
        node_program([tmp_path])
    assert str(raised.value) == f"{ADVICE} {old} {told}"


def test_without_npm_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(NodeNeeded, match=r"There is no npm\.$"):
        npm_program([tmp_path])
    assert npm_program([tmp_path / "nowhere", program(tmp_path, "npm", "11").parent]) == tmp_path / "npm"


def test_an_install_happens_once_for_a_lock(tmp_path: Path) -> None:
    folder = empty_project(tmp_path)
    assert install(folder) is True
    assert (folder / "node_modules" / ".installed-from").read_text() == lock_hash(folder)
    assert install(folder) is False


def test_a_lock_that_changed_is_installed_anew(tmp_path: Path) -> None:
    folder = empty_project(tmp_path)
    install(folder)
    (folder / ".npmrc").write_text("offline=true\nfund=false\n")
    (folder / "node_modules" / "stray").mkdir()
    assert install(folder) is True
    assert not (folder / "node_modules" / "stray").exists()


def test_processes_that_come_together_install_once(tmp_path: Path) -> None:
    folder = empty_project(tmp_path)
    with ThreadPoolExecutor(4) as threads:
        ran = list(threads.map(install, [folder] * 4))
    assert sorted(ran) == [False, False, False, True]


def test_a_failed_install_is_told_and_leaves_no_mark(tmp_path: Path) -> None:
    folder = empty_project(tmp_path)
    (folder / "package.json").write_text(json.dumps({"name": "nothing", "dependencies": {"absent": "1.0.0"}}))
    with pytest.raises(InstallFailed, match=r"(?s)^npm ci failed:\n.*absent"):
        install(folder)
    assert not (folder / "node_modules" / ".installed-from").exists()


def test_the_packages_are_pinned_exactly_and_installed_so(node: Node) -> None:
    assert json.loads((FOLDER / "package.json").read_text())["dependencies"] == {
        name: f"npm:@stellar/stellar-sdk@{version}" if name == "stellar-sdk-17" else version
        for name, version in PINS.items()
    }
    installed = {name: FOLDER / "node_modules" / name / "package.json" for name in PINS}
    assert {name: json.loads(file.read_text())["version"] for name, file in installed.items()} == PINS


def test_the_lock_names_no_host_to_fetch_from() -> None:
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    packages = [package for name, package in lock["packages"].items() if name]
    assert len(packages) > 50
    assert [package for package in packages if "resolved" in package or "integrity" not in package] == []


def test_an_error_in_a_script_is_its_message(node: Node) -> None:
    with pytest.raises(ScriptFailed, match=r"^Failed to parse URL from nonsense$"):
        node.call("tls", "status", {"url": "nonsense"})


def test_a_script_that_ends_node_is_told_with_its_log(tmp_path: Path) -> None:
    with running_node(tmp_path / "node.log") as own:
        os.kill(own.process.pid, 9)
        own.process.wait()
        with pytest.raises(ScriptFailed, match=r"^Node ended:\n\(its log is empty\)$"):
            own.call("tls", "status", {"url": "http://127.0.0.1:1/"})


def test_node_ends_when_it_is_no_longer_wanted(tmp_path: Path) -> None:
    with running_node(tmp_path / "node.log") as own:
        assert own.process.poll() is None
    assert own.process.poll() is not None


def test_the_process_that_is_ended_is_node_itself(node: Node) -> None:
    """A program in between would be ended in its place, and Node would go on."""
    assert Path(f"/proc/{node.process.pid}/exe").resolve() == node_program().resolve()
    assert Path(f"/proc/{node.process.pid}/task/{node.process.pid}/children").read_text() == ""


def test_no_script_reaches_another_host(node: Node) -> None:
    with pytest.raises(ScriptFailed, match="fetch failed"):
        node.call("tls", "status", {"url": "http://horizon-testnet.stellar.org/"})
    log = node.log.read_text()
    assert "getaddrinfo ENOTFOUND horizon-testnet.stellar.org" in log
