"""Failed sign-ins are counted in the ledger, by all monitors together."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "sign_in_failures",
        sa.Column("key_hash", sa.String(64), primary_key=True),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("since", time, nullable=False),
    )
    op.create_index("ix_sign_in_failures_since", "sign_in_failures", ["since"])
