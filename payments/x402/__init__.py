"""The scheme `exact` of x402 on Stellar: what a client builds, what a facilitator verifies and settles."""
