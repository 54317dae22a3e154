"""examples/pay_once.py: what it says when it cannot pay. That it pays is shown by the demo's own run (test_life)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples import pay_once
from tests.demo.test_programs import answering
from tests.payments.sandbox.running import RunningSandbox, sandbox
from tests.servers.ports import free_port


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with sandbox(tmp_path_factory.mktemp("ledger"), ledger_seconds=0.2) as found:
        yield found


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["pay_once.py", *arguments])
    return pay_once.main()


def test_a_page_that_asks_for_no_payment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ledger: RunningSandbox, tmp_path: Path
) -> None:
    with answering(200, b"free") as port:
        url = f"http://127.0.0.1:{port}/readyz"
        assert called(monkeypatch, url, "--ledger", ledger.url, "--key", str(tmp_path / "key")) == 1
    assert capsys.readouterr().err == f"failed: {url} answers 200, and asks for no payment\n"


def test_it_opens_its_own_account_once_with_a_key_of_its_own(ledger: RunningSandbox, tmp_path: Path) -> None:
    path = tmp_path / "keys" / "payer"
    payer = pay_once.keypair_of(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert pay_once.keypair_of(path) == payer

    pay_once.opened(ledger.url, payer)
    assert ledger.balance(payer.public_key) == 100_000_000
    pay_once.opened(ledger.url, payer)
    assert ledger.balance(payer.public_key) == 100_000_000


def test_a_ledger_that_is_away_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ledger = f"http://127.0.0.1:{free_port()}"
    assert called(monkeypatch, "http://127.0.0.1:9/", "--ledger", ledger, "--key", str(tmp_path / "key")) == 1
    said = capsys.readouterr().err
    assert said.startswith("failed: ")
    assert len(said.splitlines()) == 1


def test_what_is_no_address_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ledger: RunningSandbox, tmp_path: Path
) -> None:
    assert called(monkeypatch, "file:///etc/passwd", "--ledger", ledger.url, "--key", str(tmp_path / "key")) == 1
    assert capsys.readouterr().err == "failed: file:///etc/passwd is no http address\n"


def test_without_a_run_it_asks_for_a_url(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(pay_once, "VAR", tmp_path)
    with pytest.raises(SystemExit) as ended:
        called(monkeypatch)
    assert ended.value.code == 2
    assert "name a URL and --ledger" in capsys.readouterr().err
