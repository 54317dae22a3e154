"""An operator's first day: an agent, its key, a budget, a pair and an entry, each made, edited and disabled."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.test import Client
from django.urls import reverse

from bazaar.models import CatalogEntry, Pair, PaymentOption
from payments.authentication.verify import verify_key
from payments.models import Agent, ApiKey, Budget, BudgetWindow
from tests.builders import make_asset, make_budget_window, make_network, make_seller, make_team
from tests.builders.numbers import account
from tests.desk.forms import mistakes, send
from tests.desk.html import text
from tests.desk.people import who


def add(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")


def page(row: Model, name: str = "change") -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{name}", args=(row.pk,))


def versions(row: Any) -> list[tuple[int, str]]:
    return list(row.history.order_by("history_id").values_list("row_version", "history_change_reason"))


def test_an_agent_is_made_edited_paused_and_resumed(superuser: Client) -> None:
    team, owner = make_team(), who(superuser)

    send(superuser, add(Agent), name="Buyer", team=team.pk, owner=owner.pk, reason="new project")
    agent = Agent.objects.get()
    send(superuser, page(agent), name="Weather buyer", reason="clearer")
    refused_without_reason = send(superuser, page(agent, "pause"), reason="")
    assert Agent.objects.get().state == "active"
    send(superuser, page(agent, "pause"), reason="buys too much")
    assert Agent.objects.get().state == "paused"
    send(superuser, page(agent, "resume"), reason="looked at it")

    agent = Agent.objects.get()
    assert (agent.name, agent.team, agent.owner, agent.state) == ("Weather buyer", team, owner, "active")
    assert mistakes(refused_without_reason) == "This field is required."
    assert versions(agent) == [(1, "new project"), (2, "clearer"), (3, "buys too much"), (4, "looked at it")]
    assert set(agent.history.values_list("history_user", flat=True)) == {owner.pk}


def test_a_key_is_issued_shown_once_edited_and_revoked(superuser: Client) -> None:
    network, team, owner = make_network(), make_team(), who(superuser)
    send(superuser, add(Agent), name="Buyer", team=team.pk, owner=owner.pk)
    agent = Agent.objects.get()

    shown = send(
        superuser, add(ApiKey), name="laptop", user=owner.pk, organisation=team.organisation_id, agent=agent.pk,
        can_pay="on", networks=[network.pk], reason="first key",
    )  # fmt: skip
    key = ApiKey.objects.get()
    token = shown.context["token"]

    assert shown.status_code == 200
    assert token in shown.content.decode()
    caller = verify_key(token, "127.0.0.1")
    assert caller is not None
    assert caller.scopes == {"read", "pay"}
    assert token not in superuser.get(page(key)).content.decode()

    send(superuser, page(key), name="new laptop", can_pay=None, reason="reads only")
    key.refresh_from_db()
    assert (key.name, key.can_pay, key.can_read) == ("new laptop", False, True)

    send(superuser, page(key, "revoke"), reason="laptop lost")
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert verify_key(token, "127.0.0.1") is None
    assert [reason for _, reason in versions(key)] == ["first key", "reads only", "laptop lost"]


def test_a_budget_is_made_raised_lowered_and_closed(superuser: Client) -> None:
    asset, team, owner = make_asset("USDC"), make_team(), who(superuser)
    send(superuser, add(Agent), name="Buyer", team=team.pk, owner=owner.pk)
    agent = Agent.objects.get()

    negative = send(superuser, add(Budget), agent=agent.pk, asset=asset.pk, limit="-5", window="day", zone="UTC")
    assert "without sign" in mistakes(negative)
    assert not Budget.objects.exists()

    made = send(superuser, add(Budget), agent=agent.pk, asset=asset.pk, limit="12.5", window="day", zone="UTC")
    budget = Budget.objects.get()
    assert (mistakes(made), budget.limit, budget.holder) == ("", 125_000_000, agent)

    asked = superuser.get(page(budget, "raise"), {"limit": "20"})
    assert "12.50 USDC" in text(asked)
    assert "20.00 USDC (200000000 units)" in text(asked)
    send(superuser, f"{page(budget, 'raise')}?limit=20", reason="more weather")
    assert Budget.objects.get().limit == 200_000_000

    window = make_budget_window(Budget.objects.get(), spent=80_000_000, held=30_000_000)
    refused = send(superuser, f"{page(budget, 'lower')}?limit=10", reason="less weather")
    assert "8.00 USDC is spent and 3.00 USDC is held, so its limit cannot be under 11.00 USDC" in mistakes(refused)
    assert Budget.objects.get().limit == 200_000_000
    assert BudgetWindow.objects.get(pk=window.pk).limit == 200_000_000

    send(superuser, f"{page(budget, 'lower')}?limit=15", reason="less weather")
    assert Budget.objects.get().limit == 150_000_000

    send(superuser, page(budget, "close"), reason="project ended")
    assert Budget.objects.get().state == "closed"
    expected = ["Entered on the desk.", "more weather", "less weather", "project ended"]
    assert [reason for _, reason in versions(budget)] == expected


def test_a_lowered_cap_under_what_is_taken_may_be_accepted_and_fills_the_window(superuser: Client) -> None:
    budget = make_budget_window(spent=30_000_000, held=10_000_000).budget
    address = f"{page(budget, 'lower')}?limit=1"

    refused = send(superuser, address, reason="stop it")
    assert refused.context["form"].fields["accept_full_window"].widget.input_type == "checkbox"
    send(superuser, address, reason="stop it", accept_full_window="on")

    assert Budget.objects.get().limit == 10_000_000
    assert BudgetWindow.objects.get().limit == 40_000_000


def test_a_pair_is_made_paused_enabled_tuned_and_paused(superuser: Client) -> None:
    asset_a = make_asset("AAA")
    asset_b = make_asset("BBB", network=asset_a.network)
    made = {"network": asset_a.network_id, "asset_a": asset_a.pk, "asset_b": asset_b.pk}

    negative = send(superuser, add(Pair), **made, minimum_volume="-1")
    assert "without sign" in mistakes(negative)
    assert not Pair.objects.exists()

    send(superuser, add(Pair), **made, minimum_volume="1,000.50", reason="asked for")
    pair = Pair.objects.get()
    assert (pair.key, pair.enabled, pair.minimum_volume) == (
        f"AAA:{asset_a.issuer}/BBB:{asset_b.issuer}", False, 10_005_000_000,
    )  # fmt: skip

    send(superuser, page(pair, "enable"), reason="liquid enough")
    assert Pair.objects.get().enabled is True
    send(superuser, page(pair), staleness_limit_seconds=60, reason="quicker")
    send(superuser, page(pair, "pause"), reason="too thin")

    pair = Pair.objects.get()
    assert (pair.enabled, pair.staleness_limit_seconds, pair.minimum_volume) == (False, 60, 10_005_000_000)
    assert [reason for _, reason in versions(pair)] == ["asked for", "liquid enough", "quicker", "too thin"]


def test_an_entry_is_made_priced_listed_edited_and_delisted(superuser: Client) -> None:
    seller, asset = make_seller(), make_asset("USDC")

    send(
        superuser, add(CatalogEntry), seller=seller.pk, title="Weather", description="Now.", kind="http", method="GET",
        origin="https://api.weather.example", route="/weather/:city", tags="weather, now", reason="first entry",
    )  # fmt: skip
    entry = CatalogEntry.objects.get()
    assert (entry.state, entry.tags, entry.input_schema, entry.example) == ("draft", ["weather", "now"], {}, None)

    unpriced = send(superuser, page(entry, "list"), reason="ready")
    assert mistakes(unpriced) == "An entry without a way to pay cannot be listed."
    assert CatalogEntry.objects.get().state == "draft"

    price = {"entry": entry.pk, "asset": asset.pk, "pay_to": account(1), "scheme": "exact"}
    for wrong in ("-1", "1e-7", "0.00000001", "0"):
        assert mistakes(send(superuser, add(PaymentOption), **price, amount=wrong)) != "", wrong
    assert not PaymentOption.objects.exists()
    send(superuser, add(PaymentOption), **price, amount="0.0000001", reason="the least there is")
    assert PaymentOption.objects.get().amount == 1
    assert "0.0000001 USDC" in text(superuser.get(page(entry)))

    send(superuser, page(entry, "list"), reason="ready")
    assert CatalogEntry.objects.get().state == "listed"
    send(superuser, page(entry), title="Weather of a city", reason="clearer")
    send(superuser, page(entry, "delist"), reason="seller left")

    entry = CatalogEntry.objects.get()
    assert (entry.title, entry.state, entry.state_reason) == ("Weather of a city", "delisted", "seller left")
    reasons = [reason for _, reason in versions(entry)]
    assert reasons == ["first entry", "the least there is", "ready", "clearer", "seller left"]
