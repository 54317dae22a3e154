"""The JSON-RPC door: one module a group of methods, in the shapes of Stellar RPC's public reference."""
