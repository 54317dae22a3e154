from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from django.conf import settings

from bazaar.models import CatalogEntry, Pair
from payments.models import Agent, ApiKey
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_entry,
    make_key,
    make_network,
    make_pair,
    make_policy,
    make_venue,
)
from tests.databases import Database
from tests.servers.fixtures import StartWebServer
from tests.servers.web import KINDS, WebServer

DOCUMENT = json.dumps({"openapi": "3.1.0", "info": {"title": "Lens Bazaar", "version": "0"}, "paths": {}}, indent=1)


@dataclass(frozen=True)
class Product:
    """Rows for an agent to find, and the agent's key."""

    agent: Agent
    key: ApiKey
    token: str
    entry: CatalogEntry
    pair: Pair


@pytest.fixture
def product(cloned_database: Database) -> Product:
    """A network with an asset, a pair, a venue, an entry for 0.05, and an agent with policy, budget and key."""
    network = make_network()
    dollars = make_asset("USDC", network=network)
    pair = make_pair(asset_a=make_asset(kind="native", network=network), asset_b=dollars)
    make_venue(network=network, key="sdex")
    entry = make_entry(title="Weather of a city", tags=["forecast"], asset=dollars)
    agent = make_agent(default_asset=dollars)
    make_policy(agent, assets=[dollars])
    make_budget(agent=agent, asset=dollars)
    key, token = make_key(agent=agent, networks=[network])
    return Product(agent, key, token, entry, pair)


class StartProduct(Protocol):
    def __call__(self, kind: str, environment: Mapping[str, str] | None = None) -> WebServer: ...


@pytest.fixture
def start_product(start_web_server: StartWebServer, tmp_path: Path) -> StartProduct:
    """Starts servers that know the keys of this process, and serve `DOCUMENT` as their OpenAPI document."""
    document = tmp_path / "document.json"
    document.write_text(DOCUMENT)
    peppers = ",".join(f"{name}:{pepper.hex()}" for name, pepper in settings.KEY_PEPPERS.items())
    known = {"LENS_KEY_PEPPERS": peppers, "MCP_OPENAPI_PATH": str(document)}

    def start(kind: str, environment: Mapping[str, str] | None = None) -> WebServer:
        return start_web_server(kind, {**known, **(environment or {})})

    return start


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, product: Product, start_product: StartProduct) -> WebServer:
    """The test runs twice: under Daphne and under uvicorn."""
    return start_product(request.param)
