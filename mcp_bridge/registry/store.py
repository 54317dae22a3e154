"""The registry: what all apps offer, by name and by URI, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace as changed

from django.apps import apps
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from mcp_bridge.changes import topics
from mcp_bridge.registry import schemas
from mcp_bridge.registry.definitions import Capability, Group, Handler, Resource, Tool

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
URI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s{}]+")


class Registry:
    """Capabilities in groups. Names of tools and URIs of resources are unique over all groups.

    A mistake does not raise where it is made: it is kept as a system check with an id and a hint, and `refuse_problems`
    stops a server that would otherwise serve the first of two in silence.
    """

    def __init__(self) -> None:
        self._groups: dict[str, Group] = {}
        self._tools: dict[str, Tool] = {}
        self._resources: dict[str, Resource] = {}
        self.mistakes: list[checks.CheckMessage] = []

    def add_group(self, name: str, *, title: str | None = None) -> Group:
        """A group by its name, made when it is first named; a title given later is taken."""
        known = self._groups.get(name)
        if known is None or title is not None:
            self._groups[name] = known = Group(name=name, title=title or name.replace("_", " ").capitalize())
        return known

    def add(self, capability: Capability, *, replace: bool = False) -> None:
        """Register a tool or a resource. With `replace` it takes the place of the one that has its name or URI."""
        self.add_group(capability.server)
        if isinstance(capability, Tool):
            self._add_tool(capability, replace)
        elif isinstance(capability, Resource):
            self._add_resource(capability, replace)

    def _add_tool(self, tool: Tool, replace: bool) -> None:
        if not TOOL_NAME.fullmatch(tool.name):
            self._mistake("E004", f"The tool name {tool.name!r} is not allowed.", "Use up to 64 of A-Z a-z 0-9 _ - .")
        if not schemas.is_closed(tool.input_schema):
            hint = 'Give the model `model_config = ConfigDict(extra="forbid")`.'
            self._mistake("E005", f"The input of the tool {tool.name} takes unknown arguments.", hint)
        known = self._tools.get(tool.name)
        if self._may_stand(f"tool {tool.name}", "E001", known, replace):
            self._tools[tool.name] = tool

    def _add_resource(self, resource: Resource, replace: bool) -> None:
        if not URI.fullmatch(resource.uri):
            self._mistake("E004", f"The URI {resource.uri!r} is not allowed.", "Write scheme://path, without spaces.")
        if resource.topics and resource.is_async:
            hint = "A payload of topics is built from rows alone: make the handler a plain function."
            self._mistake("E008", f"The resource {resource.uri} follows topics with a coroutine.", hint)
        known = self._resources.get(resource.uri)
        if not self._may_stand(f"resource {resource.uri}", "E002", known, replace):
            return
        if known is not None and resource.mime_type != known.mime_type:
            hint = f"A URI never changes its shape: answer {known.mime_type}."
            self._mistake("E006", f"The replacement of {resource.uri} has another MIME type.", hint)
            return
        # The name is part of what clients know; a replacement keeps it as it keeps the URI.
        self._resources[resource.uri] = resource if known is None else changed(resource, name=known.name)

    def _may_stand(self, what: str, duplicate: str, known: Capability | None, replace: bool) -> bool:
        if replace and known is None:
            self._mistake(
                "E003", f"The {what} replaces nothing.", "Put the app after the one whose source it replaces."
            )
        elif not replace and known is not None:
            hint = "Rename one, or say replace=True where the second is meant to take over."
            self._mistake(duplicate, f"The {what} is registered twice.", hint)
            return False
        return True

    def _mistake(self, number: str, message: str, hint: str) -> None:
        self.mistakes.append(checks.Error(message, hint=hint, id=f"mcp_bridge.{number}"))

    def problems(self) -> list[checks.CheckMessage]:
        """Every mistake, once all apps have said what they offer and track."""
        tracked = topics()
        untracked = [
            checks.Error(
                f"The resource {resource.uri} follows the topic {topic}, which nothing tracks.",
                hint="Declare it with mcp_bridge.changes.track, or the payload is never rendered again.",
                id="mcp_bridge.E007",
            )
            for resource in self.resources
            for topic in resource.topics
            if topic not in tracked
        ]
        return [*self.mistakes, *untracked]

    def refuse_problems(self) -> None:
        """Raise ImproperlyConfigured with every mistake: servers do not run system checks."""
        problems = self.problems()
        if problems:
            lines = "\n".join(f"{problem.id}: {problem.msg} {problem.hint}" for problem in problems)
            raise ImproperlyConfigured(f"What is offered over MCP contradicts itself:\n{lines}")

    def tool(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def resource(self, uri: str) -> Resource | None:
        return self._resources.get(uri)

    def group(self, name: str) -> Group:
        """The group of a registered capability."""
        return self._groups[name]

    @property
    def tools(self) -> Sequence[Tool]:
        """In order of their names."""
        return [self._tools[name] for name in sorted(self._tools)]

    @property
    def resources(self) -> Sequence[Resource]:
        """In order of their URIs."""
        return [self._resources[uri] for uri in sorted(self._resources)]

    @property
    def groups(self) -> Sequence[Group]:
        return [self._groups[name] for name in sorted(self._groups)]

    @property
    def scopes(self) -> Sequence[str]:
        """Every scope that some capability needs, in order."""
        return sorted({capability.scope for capability in self._all() if capability.scope is not None})

    def _all(self) -> Iterator[Capability]:
        yield from self._tools.values()
        yield from self._resources.values()


def label_of(handler: Handler) -> str:
    """The default group: the label of the app that the handler is written in."""
    config = apps.get_containing_app_config(handler.__module__)
    return config.label if config is not None else handler.__module__.partition(".")[0]
