"""The last transaction of each writer on PostgreSQL; numbers of audit rows there that never run out."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "writers",
        sa.Column("writer", sa.String(36), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", time, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":  # SQLite's are of 8 bytes
        op.execute("ALTER TABLE audit ALTER COLUMN audit_id TYPE bigint")
        op.execute("ALTER SEQUENCE audit_audit_id_seq AS bigint")
        op.execute("ALTER TABLE unlogged_errors ALTER COLUMN audit_id TYPE bigint")
