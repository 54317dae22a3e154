"""`python -m payments.sandbox`: the ledger without Django."""

from __future__ import annotations

import sys

from payments.sandbox.command import main

sys.exit(main())
