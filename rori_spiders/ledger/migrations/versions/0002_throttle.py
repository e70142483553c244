"""What AutoThrottle found right for a group, kept apart from what the group's robots.txt asks for."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("leases", sa.Column("throttle_s", sa.Float()))
