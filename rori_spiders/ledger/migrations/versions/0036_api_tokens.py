"""Tokens by which programs of a person use the monitor's API."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "api_tokens",
        sa.Column("token_id", sa.Integer, primary_key=True),
        sa.Column("user_name", sa.String(100), nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("scope", sa.String(10), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", time, nullable=False),
        sa.Column("expires_at", time, nullable=False),
        sa.Column("revoked_at", time),
        sa.Column("seen_at", time),
    )
    op.create_index("ix_api_tokens_user", "api_tokens", ["user_name"])
