"""What every app may use and what knows none of them."""
