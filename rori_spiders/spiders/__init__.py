"""One spider a method, and `sources` for sources of any method. The spider loader adds one for each source."""
