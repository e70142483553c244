"""Imports that were withdrawn, and restored."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "import_withdrawals",
        sa.Column("import_id", sa.String(36), sa.ForeignKey("imports.import_id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.Column("at", time, nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
