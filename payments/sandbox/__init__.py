"""A Stellar ledger of one process for development and tests: play money, real bytes, real checks.

It imports nothing of this project: whatever it checks, it checks by itself. What it does and what it cannot prove is
in docs/sandbox.md.
"""
