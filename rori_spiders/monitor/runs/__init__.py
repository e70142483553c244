"""Runs: of a source, one in detail, the URLs of a run."""
