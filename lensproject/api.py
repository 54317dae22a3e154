"""The REST API: django-ninja's document and pages, with the routers of the apps under /api/v1."""

from __future__ import annotations

import json
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Swagger

from bazaar.api import router as bazaar
from lensproject.core.rest import conditional, keys, refusals
from lensproject.core.rest.bodies import JsonBodies
from lensproject.version import VERSION
from payments.api import router as payments
from payments.authentication.verify import verify_key

PREFIX = "api/"
DESCRIPTION = (
    "What the MCP server offers to agents, for programs: the catalogue of paid resources, the pairs and venues of "
    "Lens, and the budget of the key's agent. Lists go by cursor, answers carry their version as `ETag`, and every "
    "failure has the shape `{error: {code, message, retryable, details}}`."
)

keys.verify_with(verify_key, topic="payments.keys")

api = NinjaAPI(
    title="Lens Bazaar",
    version=VERSION,
    description=DESCRIPTION,
    urls_namespace="api",
    parser=JsonBodies(),
    docs=Swagger(settings={"validatorUrl": None}),
    servers=[{"url": "/"}],
    openapi_extra={"info": {"license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}}},
)
api.add_router("/v1", bazaar)
api.add_router("/v1", payments)
refusals.install(api)


@cache
def document() -> bytes:
    """The OpenAPI document, byte for byte the same in every process: sorted keys, a line break at the end."""
    schema = api.get_openapi_schema(path_prefix=PREFIX)
    return (json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


@csrf_exempt
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """/api/openapi.json: the document of this process, the one that `export_openapi` writes."""
    return conditional.answer_bytes(request, document(), "application/json", cache_control="public, no-cache")
