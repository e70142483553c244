"""What commands share at the terminal: their base class, and listings as table, JSON or CSV."""
