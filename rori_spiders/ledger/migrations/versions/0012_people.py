"""Users of the monitor, and their sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "users",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("password_hash", sa.Text),
        sa.Column("created_at", time, nullable=False),
        sa.Column("password_at", time),
        sa.Column("seen_at", time),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("user_name", sa.String(100), nullable=False),
        sa.Column("started_at", time, nullable=False),
        sa.Column("seen_at", time, nullable=False),
    )
    op.create_index("ix_sessions_user", "sessions", ["user_name"])
