"""What differs between imported texts of a page, one after the other."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "imported_changes",
        sa.Column("change_id", sa.String(64), primary_key=True),
        sa.Column("import_id", sa.String(36), nullable=False),
        sa.Column("record", sa.String(500), nullable=False),
        sa.Column("from_import_id", sa.String(36)),
        sa.Column("from_record", sa.String(500)),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("importance", sa.Integer, nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        sa.Column("described_at", time, nullable=False),
        sa.ForeignKeyConstraint(("import_id", "record"), ("imported_captures.import_id", "imported_captures.record")),
    )
    op.create_index("ix_imported_changes_capture", "imported_changes", ["import_id", "record"])
