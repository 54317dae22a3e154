from __future__ import annotations

import shutil

import pytest

from tests.browser.desk import NoBrowser, chromium


def test_a_machine_without_chromium_is_told_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)

    with pytest.raises(NoBrowser, match="Run: apt-get install -y chromium"):
        chromium()


def test_chromium_is_found_under_either_name(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"chromium-browser": "/usr/bin/chromium-browser"}
    monkeypatch.setattr(shutil, "which", there.get)

    assert chromium() == "/usr/bin/chromium-browser"
