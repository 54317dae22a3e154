"""Stellar as the platform needs it: addresses and assets here, nodes later. No models."""
