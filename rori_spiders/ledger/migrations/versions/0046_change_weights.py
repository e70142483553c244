"""How changes stand among those of their importance; rows are made by the next job, or by `scrapy changes`."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.create_table(
        "change_weights",
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("site", sa.String(260), nullable=False),
        sa.Column("shape", sa.String(12), nullable=False),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    )
    op.create_index("ix_change_weights_shape", "change_weights", ["site", "shape"])
