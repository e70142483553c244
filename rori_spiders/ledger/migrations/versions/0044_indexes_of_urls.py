"""Indexes by URL alone: "did we hold this text on that day?" read every page of the ledger."""

from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.create_index("ix_pages_url", "pages", ["url_hash"])
    op.create_index("ix_page_aliases_url", "page_aliases", ["url_hash"])
