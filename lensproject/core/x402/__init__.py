"""x402 version 2 on the wire: models, headers and matching. No models of Django, no chain."""
