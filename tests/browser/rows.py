"""What an operator might have after a week: enough rows for every page to show something."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from bazaar.models import Asset, Market, Network
from lensproject.core import clock
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_entry,
    make_key,
    make_market,
    make_network,
    make_option,
    make_organisation,
    make_pair,
    make_policy,
    make_seller,
    make_team,
    make_venue,
)
from tests.desk.forms import send

NAME, PASSWORD = "operator", "correct horse battery staple"


def an_operator() -> User:
    """A superuser whose password a server with the real settings can check, hashed in few rounds."""
    hashed = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1000)
    return User.objects.create(username=NAME, password=hashed, is_staff=True, is_superuser=True)


def fill() -> None:
    """Rows of every kind, with history and with something to look at on the dashboard."""
    person = an_operator()
    network = make_network("stellar:local")
    make_network("stellar:testnet", is_default=False, enabled=False)
    usdc, eurc, xlm = make_asset("USDC"), make_asset("EURC"), make_asset(kind="native")
    _catalogue(person, usdc)
    _markets(person, network, usdc, eurc, xlm)
    _money(person, usdc)


def edit(person: User, row: Model, page: str, query: str = "", **typed: str) -> None:
    """As the person does it on the desk, so that the audit log has it."""
    client = Client()
    client.force_login(person)
    url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=(row.pk,))
    send(client, url + query, **typed)


def _catalogue(person: User, usdc: Asset) -> None:
    seller = make_seller(name="Weather Ltd", domain="weather.example", owner=person)
    entries = [
        make_entry(seller=seller, asset=usdc, title=title, route=route, origin="https://api.weather.example")
        for title, route in (("Weather of a city", "/weather/:city"), ("Weather of tomorrow", "/tomorrow/:city"))
    ]
    make_option(entry=entries[0], asset=make_asset("PYUSD"), amount=4_500_000)
    make_entry(seller=seller, title="Pollen count", state="draft", priced=False)
    edit(person, entries[1], "pause", reason="The price is being looked at")


def _markets(person: User, network: Network, usdc: Asset, eurc: Asset, xlm: Asset) -> None:
    pair = make_pair(network=network, asset_a=xlm, asset_b=usdc)
    thin = make_pair(network=network, asset_a=eurc, asset_b=usdc)
    edit(person, thin, "pause", reason="Too thin to be trusted")
    venue = make_venue(network=network, key="sdex")
    make_market(pair=pair, venue=venue)
    market = make_market(pair=thin, venue=venue)
    Market.objects.filter(pk=market.pk).update(last_error="The node did not answer within 5 s.")


def _money(person: User, usdc: Asset) -> None:
    team = make_team(organisation=make_organisation(name="Acme"), name="Research")
    buyer = make_agent(team=team, owner=person, name="Weather buyer", default_asset=usdc)
    news = make_agent(team=team, owner=person, name="News reader")
    edit(person, news, "pause", reason="Bought the same page twice")
    make_policy(buyer, assets=[usdc])
    make_key(agent=buyer, name="laptop", can_pay=True, expires_at=clock.now() + timedelta(days=6))
    make_key(agent=news, name="server")
    spent = (("day", 50_000_000, 12_500_000, 5_000_000), ("month", 1_000_000_000, 870_000_000, 0))
    for window, limit, taken, held in spent:
        make_budget_window(make_budget(agent=buyer, asset=usdc, window=window, limit=limit), spent=taken, held=held)
    whole_team = make_budget(team=team, asset=usdc, window="week", limit=2_000_000_000)
    make_budget_window(whole_team, spent=910_000_000, held=5_000_000)
    per_call = make_budget(agent=buyer, asset=usdc, window="call", limit=10_000_000)
    edit(person, per_call, "raise", "?limit=1.5", reason="Pollen counts cost more")
