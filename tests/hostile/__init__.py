"""Servers that break HTTP itself, on raw sockets. What breaks inside sound HTTP: tests/support/server, tests/crawl."""
