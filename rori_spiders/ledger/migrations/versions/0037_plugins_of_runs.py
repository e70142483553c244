"""The plug-ins that were active in a run."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.add_column("runs", sa.Column("plugins", sa.JSON))
