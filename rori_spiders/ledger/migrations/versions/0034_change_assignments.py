"""Who is to look at a change, and by when; comments on changes are read by the target of their actions."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "change_assignments",
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("assignee", sa.String(100), nullable=False),
        sa.Column("due_on", sa.String(10)),
        sa.Column("assigned_by", sa.String(100), nullable=False),
        sa.Column("assigned_at", time, nullable=False),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    )
    op.create_index("ix_actions_target", "actions", ["action", "target"])
