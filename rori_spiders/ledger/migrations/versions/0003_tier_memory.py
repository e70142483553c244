"""The tier that last worked for the pages of one kind of a source."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "tier_memory",
        sa.Column("source_id", sa.String(200), primary_key=True),
        sa.Column("template_hash", sa.String(64), primary_key=True),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("tier", sa.String(20), nullable=False),
        sa.Column("worked_at", time, nullable=False),
    )
