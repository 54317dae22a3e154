"""Policies: their versions, and what follows for one agent."""
