"""PowerPoint files."""
