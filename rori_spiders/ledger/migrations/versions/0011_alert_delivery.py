"""What became of telling each alert through each channel, and who sends. The former table was never written."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.drop_table("alert_deliveries")
    op.create_table(
        "alert_deliveries",
        sa.Column(
            "alert_id",
            sa.Integer,
            sa.ForeignKey("alerts.alert_id", name="fk_alert_deliveries_alert_id_alerts"),
            primary_key=True,
        ),
        sa.Column("channel", sa.String(40), primary_key=True),
        sa.Column("what", sa.String(10), primary_key=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("tried_at", time, nullable=False),
        sa.Column("next_try_at", time),
        sa.Column("delivered", sa.Boolean, nullable=False),
        sa.Column("error", sa.Text),
    )
    op.create_table(
        "alert_channels",
        sa.Column("channel", sa.String(40), primary_key=True),
        sa.Column("claimed_by", sa.String(300)),
        sa.Column("claimed_until", time),
        sa.Column("sent_at", time),
    )
