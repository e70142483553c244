"""Who is told of which changes, and which were sent to whom."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "change_subscriptions",
        sa.Column("subscription_id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("schedule", sa.String(10), nullable=False),
        sa.Column("send_to", sa.Text),
        sa.Column("token_hash", sa.String(64)),
        sa.Column("high_at_once", sa.Boolean, nullable=False),
        sa.Column("filter", sa.JSON, nullable=False),
        sa.Column("created_at", time, nullable=False),
        sa.Column("ended_at", time),
        sa.Column("claimed_until", time),
        sa.Column("sent_at", time),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("next_try_at", time),
        sa.Column("error", sa.Text),
    )
    op.create_table(
        "change_deliveries",
        sa.Column("subscription_id", sa.Integer, primary_key=True),
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("sent_at", time, nullable=False),
        sa.ForeignKeyConstraint(("subscription_id",), ("change_subscriptions.subscription_id",)),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    )
