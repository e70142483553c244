"""Signed heads of the log of facts, and how far each destination has them."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

_APPEND_ONLY = "signed heads are append-only"
_FIXED = ("size", "at", "note", "frontier")


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    size = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "log_heads",
        sa.Column("size", size, primary_key=True, autoincrement=False),
        sa.Column("at", time, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("receipts", sa.Text, nullable=False),
        sa.Column("frontier", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "head_destinations",
        sa.Column("destination", sa.Text, primary_key=True),
        sa.Column("size", size, nullable=False),
        sa.Column("failed_at", time),
        sa.Column("error", sa.Text),
    )
    if op.get_bind().dialect.name == "postgresql":
        _protect_on_postgresql()
    else:
        _protect_on_sqlite()


def _protect_on_sqlite() -> None:
    taken = "EXISTS (SELECT 1 FROM log_heads WHERE size = NEW.size)"
    for name, event in (
        ("log_heads_refuse_update", f"BEFORE UPDATE OF {', '.join(_FIXED)} ON log_heads"),
        ("log_heads_refuse_delete", "BEFORE DELETE ON log_heads"),
        ("log_heads_refuse_replace", f"BEFORE INSERT ON log_heads WHEN {taken}"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN SELECT RAISE(ABORT, '{_APPEND_ONLY}'); END")


def _protect_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION log_heads_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_APPEND_ONLY}' USING ERRCODE = 'restrict_violation'; END $$"
    )
    for name, event in (
        ("log_heads_refuse_update", f"BEFORE UPDATE OF {', '.join(_FIXED)} ON log_heads FOR EACH ROW"),
        ("log_heads_refuse_delete", "BEFORE DELETE ON log_heads FOR EACH ROW"),
        ("log_heads_refuse_truncate", "BEFORE TRUNCATE ON log_heads FOR EACH STATEMENT"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} EXECUTE FUNCTION log_heads_refuse()")
