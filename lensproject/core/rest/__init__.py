"""What the REST doors of all apps share: one error shape, keys, cursors, conditional requests, and routes that read."""
