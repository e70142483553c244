"""What a run asks for first, and an index by which its pending URLs are read in that order, some at a time."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.add_column("run_urls", sa.Column("rank", sa.Integer, nullable=False, server_default="1"))
    is_pending = sa.text("state = 'pending'")
    op.create_index(
        "ix_run_urls_pending",
        "run_urls",
        ["run_id", "rank", "depth", "url_hash"],
        sqlite_where=is_pending,
        postgresql_where=is_pending,
    )
