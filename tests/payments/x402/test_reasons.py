"""Refusals as they go over the wire, and in the documentation."""

from __future__ import annotations

import pytest

from lensproject.environment import ROOT
from payments import errors
from payments.x402 import reasons
from payments.x402.reasons import Refused

ALL = sorted(value for name, value in vars(reasons).items() if name.isupper() and not name.startswith("_"))


@pytest.mark.parametrize("reason", ALL)
def test_every_reason_is_documented(reason: str) -> None:
    page = (ROOT / "docs" / "x402.md").read_text(encoding="utf-8")
    assert f"`{reason.replace('invalid_exact_stellar_payload', '…')}`" in page


def test_reasons_differ() -> None:
    assert len(set(ALL)) == len(ALL) == 39


def test_our_own_code_goes_along() -> None:
    named = Refused("r", "m", payer="G", fault=errors.TRUSTLINE_REQUIRED, details={"who": "payTo"})
    assert (named.reason, named.message, named.payer) == ("r", "m", "G")
    assert named.extra() == {"code": "TRUSTLINE_REQUIRED", "details": {"who": "payTo"}}
    assert Refused("r", details={"contractError": 7}).extra() == {"details": {"contractError": 7}}
    assert Refused("r").extra() is None
