"""Who may spend, what was paid, and the proof."""
