"""The order of events of a demo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError

from lensproject.environment import Environment
from lensproject.local_secrets import local_secret
from lensproject.management.demo import (
    database,
    folder,
    ports,
    processes,
    programs,
    run_file,
    seeding,
    summary,
    waiting,
)
from lensproject.management.demo.console import Console
from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.ledger import Ledger, described, open_account, open_trustline
from lensproject.management.demo.paths import shown
from lensproject.management.demo.places import Places
from lensproject.management.demo.ports import Listener
from lensproject.management.demo.processes import Child
from lensproject.management.demo.programs import PROGRAMS, Program, Started
from lensproject.management.demo.seeding import Seeded
from lensproject.version import VERSION


def run(console: Console, first_port: int) -> None:
    """Start everything, show what an agent sees, and serve until Stopped is raised. Raises DemoFailed."""
    lens: Environment = settings.LENS
    if lens.mainnet_enabled:
        raise DemoFailed(
            "LENS_MAINNET_ENABLED is set. A demo makes accounts and keys, so it stays away from real money."
        )
    console.line(f"Lens Bazaar {VERSION}")
    with folder.held(lens.var) as logs, folder.own_log(logs):
        console.step(f"files in {shown(lens.var)}, logs in {shown(logs)}")
        Demo(console, lens, logs, first_port).run()


class Demo:
    """One run, while it holds var/."""

    def __init__(self, console: Console, lens: Environment, logs: Path, first_port: int) -> None:
        self.console = console
        self.lens = lens
        self.logs = logs
        self.first_port = first_port
        self.children: list[Child] = []
        self.environment: dict[str, str] = {}
        self.values = {"{ledger_file}": str(lens.var / "ledger.sqlite3")}

    def run(self) -> None:
        earlier = run_file.take_back(self.lens.var)
        self.prepare_database()
        with ExitStack() as sockets, self.ended_together():
            listeners = {each.name: sockets.enter_context(self.listen(each)) for each in PROGRAMS if each.listens}
            places = Places.of(listeners)
            self.environment = programs.environment(places.web)
            self.start([each for each in PROGRAMS if each.first], listeners)
            ledger = described(listeners["ledger"].port) if "ledger" in listeners else None
            seeded = self.seed(places, earlier, ledger)
            self.open_accounts(seeded, ledger)
            self.know(seeded, places)
            self.start([each for each in PROGRAMS if not each.first], listeners)
            self.show_agent(seeded, f"{places.web}/mcp")
            self.show_payment(places, ledger)
            database.leave()
            written = run_file.publish(self.lens.var)
            self.console.step("everything answers")
            self.console.line()
            self.console.block(summary.text(places, self.lens, seeded, written))
            waiting.until_one_ends(self.children)

    def prepare_database(self) -> None:
        database.reach()
        self.console.step(f"database: {database.place()}")
        applied = database.migrate()
        self.console.step(f"migrated: {applied} migrations" if applied else "migrated: nothing was missing")

    def listen(self, program: Program) -> Listener:
        wanted = self.first_port + program.port
        listener = ports.listen(wanted)
        if listener.port != wanted:
            self.console.step(f"port {wanted} is taken: {program.name} gets {listener.port}")
        return listener

    def seed(self, places: Places, earlier: run_file.Secrets, ledger: Ledger | None) -> Seeded:
        def write_down(seeded: Seeded) -> None:
            run_file.keep(self.lens.var, summary.described(places, self.lens, seeded))

        try:
            seeded = seeding.seed(self.lens.var / "keys", earlier, before_commit=write_down, ledger=ledger)
        except (ValidationError, DatabaseError) as error:
            reason = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
            raise DemoFailed(f"Seeding failed, and nothing of it was kept: {reason}") from None
        made = f"{len(seeded.made)} rows" if seeded.made else "nothing, it was done before"
        self.console.step(f"seeded: {made}")
        return seeded

    def open_accounts(self, seeded: Seeded, ledger: Ledger | None) -> None:
        """Play money for the facilitator's fees, and a trustline for the seller."""
        if ledger is None or seeded.selling is None:
            return
        seller = bytes.fromhex(local_secret(self.lens.var / "keys", "demo_seller_seed"))
        opened = [open_account(ledger, seeded.selling.facilitator), open_trustline(ledger, seller)]
        self.console.step(f"ledger of {ledger.network}: {'accounts opened' if any(opened) else 'accounts are there'}")

    def know(self, seeded: Seeded, places: Places) -> None:
        """What programs that start from now on may be told."""
        if seeded.selling is not None:
            self.values |= {
                "{network}": seeded.selling.network,
                "{asset}": seeded.selling.asset,
                "{pay_to}": seeded.selling.pay_to,
                "{facilitator}": places.facilitator,
            }

    def start(self, chosen: list[Program], listeners: dict[str, Listener]) -> None:
        able = [each for each in chosen if each.needs() <= self.values.keys()]
        for program in chosen:
            if program not in able:
                self.console.step(f"{program.name} is not started: what it needs was removed from the database")
        started = [(each, self.start_one(each, listeners.get(each.name))) for each in able]
        for program, child in started:
            listener = listeners.get(program.name)
            port = listener.port if listener else None
            waiting.until_ready(child, program.asks(Started(child.pid, port)), seconds=program.patience)
            place = f"port {port}, " if port else ""
            self.console.step(f"{child.name} is ready ({place}process {child.pid}, log {shown(child.log)})")

    def start_one(self, program: Program, listener: Listener | None) -> Child:
        fds = [listener.fileno()] if listener else []
        values = self.values | ({"{fd}": str(fds[0])} if fds else {})
        command = [values.get(part, part) for part in program.command]
        own = {name: values.get(text, text) for name, text in program.environment.items()}
        log = self.logs / f"{program.name}.log"
        child = processes.start(program.name, command, log=log, environment=self.environment | own, pass_fds=fds)
        self.children.append(child)
        if listener is not None:
            listener.close()
        return child

    def show_agent(self, seeded: Seeded, mcp_url: str) -> None:
        """Let the sample agent look around; whoever serves agents and cannot serve this one is not up."""
        if seeded.key.token is None:
            self.console.step(f"no agent looks around: of its key, {seeded.key.story}")
            return
        self.console.step(f"examples/agent.py looks around with the agent's key ({seeded.key.story}):")
        own = programs.agent_environment(self.environment, mcp_url, seeded.key.token)
        self.show("agent", programs.AGENT, own, seconds=programs.AGENT_SECONDS)

    def show_payment(self, places: Places, ledger: Ledger | None) -> None:
        """Let somebody pay the seller once, with a key of their own."""
        if ledger is None or not any(child.name == "seller" for child in self.children):
            return
        self.console.step("examples/pay_once.py buys the weather of Berlin:")
        key = str(self.lens.var / "keys" / "demo_payer")
        command = (*programs.PAYER, f"{places.seller}/weather/Berlin", "--ledger", ledger.url, "--key", key)
        own = programs.outsiders_environment(self.environment)
        self.show("payer", command, own, seconds=programs.PAYER_SECONDS)

    def show(self, name: str, command: tuple[str, ...], environment: dict[str, str], *, seconds: float) -> None:
        """Run something to its end, while the others live, and show what it said."""
        log = self.logs / f"{name}.log"
        child = processes.start(name, command, log=log, environment=environment)
        with self.ended_after(child):
            waiting.until_ended(child, seconds=seconds, others=self.children)
        self.console.line()
        self.console.block(child.log.read_text(encoding="utf-8", errors="replace"))
        self.console.line()

    @contextmanager
    def ended_after(self, child: Child) -> Iterator[None]:
        try:
            yield
        finally:
            processes.end([child])

    @contextmanager
    def ended_together(self) -> Iterator[None]:
        """However the block is left, no child outlives it."""
        try:
            yield
        finally:
            stubborn = processes.end(self.children)
            killed = f"; {' and '.join(stubborn)} had to be killed" if stubborn else ""
            self.console.step(f"ended: {', '.join(child.name for child in self.children) or 'nothing ran'}{killed}")
