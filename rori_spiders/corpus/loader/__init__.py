"""The reference loader: a published version into an index of SQLite (FTS5), as docs/explanation/corpus.md describes it.

``python -m rori_spiders.corpus.loader INDEX``, with TENANT_ID and SOURCE_DIR. Read it before you write your own.
"""
