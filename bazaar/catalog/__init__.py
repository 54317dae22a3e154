"""Curating what the catalogue rests on: networks, assets, sellers and entries."""
