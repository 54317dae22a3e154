"""The order of events of a demo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError

from lensproject.environment import Environment
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
from lensproject.management.demo.paths import shown
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

    def run(self) -> None:
        earlier = run_file.take_back(self.lens.var)
        self.prepare_database()
        with ExitStack() as sockets, self.ended_together():
            listeners = {each.name: sockets.enter_context(self.listen(each)) for each in PROGRAMS if each.listens}
            url = f"http://{ports.HOST}:{listeners['web'].port}"
            seeded = self.seed(url, earlier)
            environment = programs.environment(url)
            self.start(listeners, environment)
            self.show_agent(seeded, environment, f"{url}/mcp")
            database.leave()
            written = run_file.publish(self.lens.var)
            self.console.step("everything answers")
            self.console.line()
            self.console.block(summary.text(url, self.lens, seeded, written))
            waiting.until_one_ends(self.children)

    def prepare_database(self) -> None:
        database.reach()
        self.console.step(f"database: {database.place()}")
        applied = database.migrate()
        self.console.step(f"migrated: {applied} migrations" if applied else "migrated: nothing was missing")

    def listen(self, program: Program) -> Listener:
        listener = ports.listen(self.first_port)
        if listener.port != self.first_port:
            self.console.step(f"port {self.first_port} is taken: {program.name} gets {listener.port}")
        return listener

    def seed(self, url: str, earlier: run_file.Secrets) -> Seeded:
        def write_down(seeded: Seeded) -> None:
            run_file.keep(self.lens.var, summary.described(url, self.lens, seeded))

        try:
            seeded = seeding.seed(self.lens.var / "keys", earlier, before_commit=write_down)
        except (ValidationError, DatabaseError) as error:
            reason = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
            raise DemoFailed(f"Seeding failed, and nothing of it was kept: {reason}") from None
        made = f"{len(seeded.made)} rows" if seeded.made else "nothing, it was done before"
        self.console.step(f"seeded: {made}")
        return seeded

    def start(self, listeners: dict[str, Listener], environment: dict[str, str]) -> None:
        started = [(each, self.start_one(each, listeners.get(each.name), environment)) for each in PROGRAMS]
        for program, child in started:
            listener = listeners.get(program.name)
            port = listener.port if listener else None
            waiting.until_ready(child, program.asks(Started(child.pid, port)), seconds=program.patience)
            place = f"port {port}, " if port else ""
            self.console.step(f"{child.name} is ready ({place}process {child.pid}, log {shown(child.log)})")

    def start_one(self, program: Program, listener: Listener | None, environment: dict[str, str]) -> Child:
        fds = [listener.fileno()] if listener else []
        command = [str(fds[0]) if part == "{fd}" else part for part in program.command]
        log = self.logs / f"{program.name}.log"
        child = processes.start(program.name, command, log=log, environment=environment, pass_fds=fds)
        self.children.append(child)
        if listener is not None:
            listener.close()
        return child

    def show_agent(self, seeded: Seeded, environment: dict[str, str], mcp_url: str) -> None:
        """Let the sample agent look around; whoever serves agents and cannot serve this one is not up."""
        if seeded.key.token is None:
            self.console.step(f"no agent looks around: of its key, {seeded.key.story}")
            return
        self.console.step(f"examples/agent.py looks around with the agent's key ({seeded.key.story}):")
        agent = processes.start(
            "agent",
            programs.AGENT,
            log=self.logs / "agent.log",
            environment=programs.agent_environment(environment, mcp_url, seeded.key.token),
        )
        with self.ended_after(agent):
            waiting.until_ended(agent, seconds=programs.AGENT_SECONDS, others=self.children)
        self.console.line()
        self.console.block(agent.log.read_text(encoding="utf-8", errors="replace"))
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
