from __future__ import annotations

from lensproject.management.demo.places import Places
from lensproject.management.demo.ports import listen
from tests.servers.ports import free_port


def test_every_program_that_listens_has_a_url() -> None:
    first = free_port()
    with listen(first) as web, listen(first) as seller:
        places = Places.of({"web": web, "seller": seller})
        assert places.web == f"http://127.0.0.1:{web.port}"
        assert places.seller == f"http://127.0.0.1:{seller.port}"
        assert places.ledger == ""
        assert places.facilitator == f"http://127.0.0.1:{web.port}/facilitator"
