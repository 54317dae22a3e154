"""Starting, restarting and refusing to start; by itself, through manage.py, and over HTTPS."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from stellar_sdk import Keypair

from payments.sandbox import keys
from payments.sandbox.command import main
from payments.sandbox.network import NetworkRefused, network
from tests.payments.sandbox.running import sandbox
from tests.servers import processes
from tests.servers.ports import free_port

ROOT = processes.ROOT


def refused(*arguments: str, command: tuple[str, ...] = ("-m", "payments.sandbox")) -> str:
    """What a ledger says that does not start; its status is never 0."""
    done = subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=ROOT,
        env=processes.child_environment(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--as", "stellar:pubnet"), "stellar:pubnet is real money"),
        (("--as", "stellar:futurenet"), "is not a network of the sandbox"),
        (("--port", "0"), "is no port"),
        (("--port", "x"), "is no port"),
        (("--ledger-seconds", "-1"), "is no time between ledgers"),
        (("--ledger-seconds", "nan"), "is no time between ledgers"),
        (("--min-temporary-ttl", "0"), "are 1 ledger or more"),
        (("--retention", "0"), "are 1 ledger or more"),
        (("--tls-cert", "a.pem"), "go together"),
        (("--tls-cert", "a.pem", "--tls-key", "b.pem"), "cannot be used"),
    ],
    ids=[f"arguments {number}" for number in range(10)],
)
def test_what_it_does_not_start_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--file", str(tmp_path / "ledger.sqlite3"), *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_mainnet_is_refused_at_the_command_line() -> None:
    assert "stellar:pubnet is real money" in refused("--as", "stellar:pubnet")


def test_manage_py_refuses_mainnet_too(tmp_path: Path) -> None:
    said = refused("sandbox", "--as", "stellar:pubnet", "--file", str(tmp_path / "x"), command=("manage.py",))
    assert "stellar:pubnet is real money" in said


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0) as one:
        said = refused("--port", one.url.rsplit(":", 1)[1], "--file", str(tmp_path / "two.sqlite3"))
    assert "cannot be listened on" in said


def test_a_file_of_another_network(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0) as running:
        file = running.file
    assert "made with the network stellar:local, not stellar:testnet" in refused(
        "--as", "stellar:testnet", "--file", str(file)
    )


def test_a_file_that_another_ledger_uses(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0) as running:
        said = refused("--port", str(free_port()), "--file", str(running.file))
        assert running.step() == 2
    assert "is another ledger running on it?" in said


def test_keys_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "ledger.keys.json").write_text("{}")
    assert "holds no keys of a sandbox" in refused("--file", str(tmp_path / "ledger.sqlite3"))


def test_money_and_ledgers_survive_a_restart(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0) as running:
        holder = running.funded(Keypair.random(), "7")
        sequence = running.step()
        assert running.stop() == 0
    with sandbox(tmp_path, ledger_seconds=0) as again:
        with again.rpc() as rpc:
            assert rpc.get_latest_ledger().sequence == sequence
            assert len(rpc.get_transactions(start_ledger=1).transactions) == 3
        assert again.balance(holder.public_key) == 70_000_000
        again.mint(holder.public_key, "1")
        assert again.balance(holder.public_key) == 80_000_000


def test_the_last_whole_ledger_survives_a_kill(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0.05) as running:
        holder = running.funded(Keypair.random(), "7")
        running.process.kill()
        running.process.wait()
    with sandbox(tmp_path, ledger_seconds=0) as again:
        assert again.balance(holder.public_key) == 70_000_000
        with again.rpc() as rpc:
            hashes = [each.hash for each in rpc.get_ledgers(start_ledger=1, limit=200).ledgers]
        assert len(set(hashes)) == len(hashes)


def test_ledgers_close_by_themselves_at_a_pace_that_can_change(tmp_path: Path) -> None:
    with sandbox(tmp_path, ledger_seconds=0.05) as running:
        first = running.control("status")["latestLedger"]
        time.sleep(0.4)
        later = running.control("ledger_seconds", seconds=0)
        assert 2 <= later["latestLedger"] - first <= 12
        time.sleep(0.2)
        assert running.control("status")["latestLedger"] == later["latestLedger"]


def test_as_testnet_it_has_testnets_name_and_the_contract_that_packages_know(tmp_path: Path) -> None:
    with sandbox(tmp_path, network="stellar:testnet", ledger_seconds=0) as running:
        assert running.passphrase == "Test SDF Network ; September 2015"
        assert running.contract == "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA"
        with running.rpc() as rpc:
            assert rpc.get_version_info().version.startswith("sandbox ")


def test_manage_py_starts_it(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "manage.py", "sandbox", "--port", str(port), "--file", str(tmp_path / "l.sqlite3")]
    environment = processes.child_environment(DJANGO_SETTINGS_MODULE="lensproject.settings", LENS_VAR=str(tmp_path))
    process = processes.start(command, log=log, environment=environment)
    try:
        processes.wait_until(lambda: answers(f"http://127.0.0.1:{port}/"), process=process, log=log, what="manage.py")
    finally:
        assert processes.end(process) == 0


def answers(url: str, context: ssl.SSLContext | None = None) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5, context=context) as answer:  # noqa: S310 - loopback
            return bool(answer.status == 200)
    except OSError:
        return False


def test_it_answers_https_with_a_given_certificate(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True, timeout=30)
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "payments.sandbox", "--port", str(port), "--file", str(tmp_path / "l.sqlite3")]
    process = processes.start([*command, "--tls-cert", str(certificate), "--tls-key", str(key)], log=log)
    context = ssl.create_default_context(cafile=str(certificate))
    try:
        processes.wait_until(
            lambda: answers(f"https://localhost:{port}/", context), process=process, log=log, what="HTTPS"
        )
        assert not answers(f"http://localhost:{port}/")
    finally:
        processes.end(process)


def test_it_imports_nothing_of_the_platform_and_no_django() -> None:
    probe = (
        "import sys, payments.sandbox.command\n"
        "others = ('lensproject', 'bazaar', 'mcp_bridge', 'django')\n"
        "ours = {name for name in sys.modules if name.split('.')[0] in others}\n"
        "theirs = {name for name in sys.modules if name.startswith('payments.')}\n"
        "print(sorted(ours), all(name.startswith('payments.sandbox') for name in theirs))"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "[] True"


def test_keys_are_made_once_and_for_their_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "made" / "keys.json"
    first, second = keys.load(file, "stellar:local"), keys.load(file, "stellar:testnet")
    assert (first.friendbot, first.minter) == (second.friendbot, second.minter)
    assert os.stat(file).st_mode & 0o777 == 0o600
    assert first.issuer != second.issuer == keys.TESTNET_ISSUER


@pytest.mark.parametrize("text", ["", "[]", "null", '{"friendbot": "S", "minter": "S"}', '{"friendbot": 5}'])
def test_broken_keys_are_said_and_kept(tmp_path: Path, text: str) -> None:
    file = tmp_path / "keys.json"
    file.write_text(text)
    with pytest.raises(keys.KeysUnreadable, match="move it away"):
        keys.load(file, "stellar:local")
    assert file.read_text() == text


def test_networks_have_names_and_ids() -> None:
    assert network("stellar:testnet").id.hex() == "cee0302d59844d32bdca915c8203dd44b33fbb7edc19051ea37abedf28ecd472"
    with pytest.raises(NetworkRefused, match="real money"):
        network("stellar:pubnet")
