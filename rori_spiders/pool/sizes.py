"""Which bodies are large, and what the processes that work on them may take."""

#: Bodies up to this size are worked on in place (64 KiB: about 30 ms for a whole conversion on one core, 2026-11).
IN_PLACE_BYTES = 64 * 1024
#: Larger bodies wait for each other. Up to it the densest of 150 hostile pages (links never closed) take 100 MB, and
#: the processes for them may take no more (benchmarks/content_memory.py, 2026-11).
LARGE_BYTES = 256 * 1024
SMALL_MEMORY_BYTES = 144 * 2**20
#: What the one process for large bodies may take. A table of 6 MB and 100,000 rows takes 240 MB (same benchmark); with
#: the crawl itself (130 MB) and the other processes (50 MB each) it stays under 512.
LARGE_MEMORY_BYTES = 272 * 2**20
#: A process for large bodies that holds more than this behind its work gives it back by ending. A fresh one: 45 MB.
KEPT_BYTES = 80 * 2**20
