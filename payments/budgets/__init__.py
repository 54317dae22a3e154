"""Budgets: their windows, their limits, and what an agent may know of them."""
