"""With which others a change belongs together. The rows are derived: the next job, or `scrapy changes`, makes them."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.drop_table("change_weights")
    op.create_table(
        "change_weights",
        sa.Column("page_id", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("site", sa.String(260), nullable=False),
        sa.Column("shape", sa.String(12), nullable=False),
        sa.Column("edit", sa.String(12), nullable=False),
        sa.Column("publication", sa.String(300), nullable=False),
        sa.ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    )
    op.create_index("ix_change_weights_shape", "change_weights", ["site", "shape"])
    op.create_index("ix_change_weights_edit", "change_weights", ["edit"])
    op.create_index("ix_change_weights_publication", "change_weights", ["publication"])
    op.drop_index("ix_changes_time", "changes")
    op.create_index("ix_changes_time", "changes", ["at", "page_id", "seq", "importance", "source_id"])
