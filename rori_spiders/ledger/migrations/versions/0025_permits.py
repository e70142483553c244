"""Permits belong to processes, for requests under way, and no longer to leases."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "permits",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("permits", sa.Integer, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("expires_at", time, nullable=False),
    )
    op.drop_column("leases", "permits")
