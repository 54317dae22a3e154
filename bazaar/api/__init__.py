"""The REST door of Bazaar and Lens: resources, networks, pairs and venues, read with a key of scope `read`."""

from __future__ import annotations

from ninja import Router

from bazaar.api import lens, networks, resources

router = Router()
router.add_router("", resources.router)
router.add_router("", networks.router)
router.add_router("", lens.router)

__all__ = ["router"]
