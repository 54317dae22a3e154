"""Keys over MCP: how a bearer token is verified, and which rows a verified key rests on.

A verified key is kept under the generation of the topic, so one that is revoked or narrowed ends within one sweep. Its
last use is no part of it.
"""

from __future__ import annotations

from django.contrib.auth.models import User

from mcp_bridge.authentication import authenticate_with
from mcp_bridge.changes import track
from payments.authentication.verify import verify_key
from payments.models import ApiKey, ApiKeyNetwork

KEYS = "payments.keys"

track(
    ApiKey,
    topic=KEYS,
    key="key_id",
    columns=(
        "key_id",
        "organisation_id",
        "agent_id",
        "seller_id",
        "pepper_id",
        "digest",
        "can_read",
        "can_pay",
        "can_write_catalog",
        "can_settle",
        "allowed_ips",
        "expires_at",
        "revoked_at",
    ),
)
track(User, topic=KEYS, columns=("is_active",))
track(ApiKeyNetwork, topic=KEYS, columns=("api_key_id", "network_id"))
authenticate_with(verify_key, topic=KEYS)
