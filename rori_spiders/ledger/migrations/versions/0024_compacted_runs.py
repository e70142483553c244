"""How many unchanged pages of a run have their row in the audit alone."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("runs", sa.Column("compacted", sa.Integer, nullable=False, server_default="0"))
