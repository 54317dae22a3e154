"""The decorator in a Django site that has nothing of the platform's: no settings, no apps, no database."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.payments.seller.scripted import SETTLED, Script
from tests.payments.x402.made import paying, terms
from tests.servers.processes import ROOT, child_environment

SITE = """
import json, sys
from django.conf import settings
settings.configure(SECRET_KEY="x", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"])
import django
django.setup()
from django.http import JsonResponse
from django.test import Client
from django.urls import path
from lensproject.core.x402.codec import decode_header, encode_header
from lensproject.core.x402.wire import PaymentRequirements
from payments.seller import HttpFacilitator, Offer, Seller

url, requirements, payload = json.loads(sys.argv[1])
seller = Seller(HttpFacilitator(url))

@seller.paid(Offer(accepts=(PaymentRequirements.read(requirements),)))
def weather(request):
    return JsonResponse({"sky": "clear"})

urlpatterns = [path("weather", weather)]
unpaid = Client().get("/weather")
paid = Client().get("/weather", headers={"PAYMENT-SIGNATURE": encode_header(payload)})
print(json.dumps({
    "unpaid": unpaid.status_code,
    "paid": paid.status_code,
    "body": paid.json(),
    "receipt": decode_header(paid["PAYMENT-RESPONSE"]),
    "platform": sorted(name for name in sys.modules if name.split(".")[0] in ("bazaar", "mcp_bridge")),
    "models": "payments.models" in sys.modules,
    "settings": "lensproject.settings" in sys.modules,
}))
"""


def test_it_sells(script: Script) -> None:
    given = json.dumps([script.url, terms().write(), paying().write()])
    done = subprocess.run(
        [sys.executable, "-c", SITE, given],
        cwd=ROOT,
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "unpaid": 402,
        "paid": 200,
        "body": {"sky": "clear"},
        "receipt": SETTLED,
        "platform": [],
        "models": False,
        "settings": False,
    }
