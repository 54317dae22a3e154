"""API keys: how one is issued, and how a bearer token becomes a Caller."""
