"""Servers that break HTTP itself, on raw sockets; what breaks inside sound HTTP is in tests/server and tests/crawl."""
