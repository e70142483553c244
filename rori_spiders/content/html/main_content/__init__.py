"""Which part of an HTML page is its main content."""
