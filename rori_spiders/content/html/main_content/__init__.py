"""Find the main content of an HTML page."""
