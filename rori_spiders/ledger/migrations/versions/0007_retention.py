"""Where other logs were read up to, and which staged envelopes were announced."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def _time(name: str) -> "sa.Column[str]":
    """As 0001 has it."""
    return sa.Column(name, sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql"))


def upgrade() -> None:
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("position", sa.Text, nullable=False),
        sa.Column("owner", sa.String(200)),
        _time("held_until"),
    )
    op.add_column("envelopes", _time("announced_at"))
    op.create_index("ix_envelopes_announced", "envelopes", ["announced_at", "staged_at"])
    op.create_index("ix_envelopes_confirmed", "envelopes", ["confirmed_at"])
