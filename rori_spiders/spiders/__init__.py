"""One spider per method, and `sources` for sources of any method. The spider loader adds one per source."""
