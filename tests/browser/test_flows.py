"""What needs a browser's own hands: look-ups while typing, a bulk selection, two tabs, the colour scheme."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.desk import Desk


def look_up(page: Page, field: str, typed: str, wanted: str) -> None:
    """Choose a row as a person does: open the box, type the beginning, take what is offered."""
    page.click(f".field-{field} .select2-selection")
    page.fill(".select2-search__field", typed)
    page.click(f".select2-results__option:has-text('{wanted}')")


def test_a_key_is_issued_by_looking_rows_up_and_its_secret_is_seen_once(desk: Desk) -> None:
    with desk.opened("/admin/payments/apikey/add/") as page:
        page.fill("#id_name", "from the browser")
        look_up(page, "organisation", "Ac", "Acme")
        look_up(page, "agent", "Weather", "Weather buyer")
        page.get_by_label("stellar:local").check()
        page.fill("#id_reason", "to see it once")
        page.click("input[name=_save]")

        token = page.inner_text("#token")
        assert token.startswith("lens_")
        page.click("text=on to the key's page")
        expect(page.locator("h2").first).to_contain_text("from the browser")
        assert token not in page.content()
        assert page.evaluate("() => window.refusals") == []


def test_rows_are_selected_and_paused_together_and_resumed(desk: Desk) -> None:
    with desk.opened("/admin/bazaar/pair/") as page:
        page.check("#action-toggle")
        page.select_option("select[name=action]", "pause_selected")
        page.click("button[name=index]")
        expect(page.locator("h1")).to_contain_text("Pause 2 pairs")
        page.fill("#id_reason", "maintenance of the node")
        page.click("input.danger-button")

        report = page.inner_text(".messagelist")
        assert "1 paused; 1 skipped" in report
        page.click("text=Enable… >> nth=0")
        page.fill("#id_reason", "maintenance is over")
        page.click("input.danger-button")
        expect(page.locator(".messagelist")).to_contain_text("is enabled")


def test_of_two_tabs_the_second_is_told_what_the_first_changed(desk: Desk) -> None:
    address = "/admin/bazaar/venue/1/change/"
    with desk.opened(address) as first, desk.opened(address) as second:
        first.fill("#id_weight", "120")
        first.fill("#id_reason", "best prices")
        first.click("input[name=_continue]")
        expect(first.locator(".messagelist")).to_contain_text("changed successfully")

        second.fill("#id_weight", "60")
        second.fill("#id_reason", "slow")
        second.click("input[name=_save]")

        told = second.inner_text(".errorlist.nonfield")
        assert "operator changed “weight (percent)” from 100 to 120" in told
        assert second.input_value("#id_weight") == "60"


def test_the_colour_scheme_is_chosen_by_hand_and_kept(desk: Desk) -> None:
    with desk.opened("/admin/") as page:
        page.click(".theme-toggle")
        page.reload()

        assert page.evaluate("() => document.documentElement.dataset.theme") in ("light", "dark")
        assert page.evaluate("() => window.refusals") == []


def test_the_pause_of_an_agent_is_two_clicks_from_its_list_and_a_reason(desk: Desk) -> None:
    with desk.opened("/admin/payments/agent/", width=360) as page:
        page.click("a.danger-link:has-text('Pause')")
        page.fill("#id_reason", "looks odd")
        page.click("input.danger-button")
        expect(page.locator(".messagelist")).to_contain_text("Weather buyer is paused")
        page.click("text=Resume…")
        page.fill("#id_reason", "was fine")
        page.click("input.danger-button")
        expect(page.locator(".messagelist")).to_contain_text("is active again")
