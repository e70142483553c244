"""The lines of the log of fields: kept before they are appended, so that a crash between the two loses none."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "field_lines",
        sa.Column("source_id", sa.String(200), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("made_at", time, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("logged", sa.Boolean, nullable=False),
    )
