"""Corpora: domains, runs, page reviews, publishing, and the processes that work on them."""
