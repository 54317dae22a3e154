"""What Lens quotes: curating pairs, venues and markets, and listing them."""
