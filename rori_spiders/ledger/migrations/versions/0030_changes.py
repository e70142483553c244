"""What each version of a page changed, how much it matters, and what a person said of it."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "changes",
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("at", time, nullable=False),
        sa.Column("from_seq", sa.Integer),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("importance", sa.Integer, nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        sa.Column("described_at", time, nullable=False),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("versions.page_id", "versions.seq")),
    )
    op.create_index("ix_changes_time", "changes", ["at", "page_id"])
    op.create_index("ix_changes_source", "changes", ["source_id", "at"])
    op.create_table(
        "change_reviews",
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("decision", sa.String(12), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("reviewed_by", sa.String(100), nullable=False),
        sa.Column("reviewed_at", time, nullable=False),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    )
