"""What is for sale, and what things are worth."""
