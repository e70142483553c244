"""The ends of pages that the error log is still to tell, so that a crash between commit and line loses none."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "unlogged_errors",
        sa.Column(
            "audit_id",
            sa.Integer,
            sa.ForeignKey("audit.audit_id", name="fk_unlogged_errors_audit_id_audit"),
            primary_key=True,
        ),
    )
