"""Finding entries by the words of their titles, descriptions and tags."""
