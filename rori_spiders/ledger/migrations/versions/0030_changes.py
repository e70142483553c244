"""What each version of a page changed, and how much it matters."""

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
