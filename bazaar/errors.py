"""What can be wrong with a catalogue, a network, an asset or a seller: codes, and exceptions where one is raised.

The names that agents already know from the MCP reference of LumenBazaar keep their spelling for ever. Codes that
payments meet too are declared here, in the lowest app that meets them.
"""

from __future__ import annotations

from lensproject.core.errors import Refusal, declare


class UnsupportedNetwork(Refusal):
    """Unknown, not enabled, or not among the networks of the key; `details.supported` lists those that are."""

    code = declare(
        "UNSUPPORTED_NETWORK",
        status=400,
        meaning="The network is unknown, not enabled here, or not one that the key names; details list those that are.",
    )


class UnsupportedAsset(Refusal):
    """No listed asset of the networks in question; `details.supported` lists those that are."""

    code = declare(
        "UNSUPPORTED_ASSET",
        status=400,
        meaning="The asset is unknown or not listed on the networks in question; details list those that are.",
    )


CATALOG_VALIDATION_FAILED = declare(
    "CATALOG_VALIDATION_FAILED",
    status=422,
    meaning="A catalogue entry breaks a rule of the catalogue; details name the field.",
)
ROUTE_TEMPLATE_INVALID = declare(
    "ROUTE_TEMPLATE_INVALID",
    status=422,
    meaning="The route template of an entry breaks the rules for templates; details name the field.",
)
SELLER_DOMAIN_UNVERIFIED = declare(
    "SELLER_DOMAIN_UNVERIFIED",
    status=403,
    meaning="The seller has not proved its domain, and the policy asks for that.",
)
UPSTREAM_UNREACHABLE = declare(
    "UPSTREAM_UNREACHABLE",
    status=502,
    retryable=True,
    meaning="The seller could not be reached; nothing was sent and nothing was paid.",
)
URL_BLOCKED = declare(
    "URL_BLOCKED",
    status=400,
    meaning="The address is one that this platform never reaches, such as one of its own network.",
)
