"""One append-only log of facts takes the place of the chains of single runs, whose last hashes are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

_APPEND_ONLY = "the log of facts is append-only"


def upgrade() -> None:
    op.create_table(
        "fact_leaves",
        sa.Column(
            "position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False
        ),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("hashes", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "audit_chains",
        sa.Column("run_id", sa.String(36), primary_key=True),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("row_hash", sa.String(64), nullable=False),
    )
    op.execute(
        "INSERT INTO audit_chains SELECT run_id, seq, row_hash FROM audit "
        "WHERE seq = (SELECT max(seq) FROM audit AS later WHERE later.run_id = audit.run_id)"
    )
    op.drop_column("audit", "prev_hash")
    op.drop_column("audit", "row_hash")
    if op.get_bind().dialect.name == "postgresql":
        _protect_on_postgresql()
    else:
        _protect_on_sqlite()


def _protect_on_sqlite() -> None:
    # As for the audit in 0001: INSERT OR REPLACE would delete without the DELETE trigger.
    taken = "EXISTS (SELECT 1 FROM fact_leaves WHERE position = NEW.position)"
    for name, event in (
        ("fact_leaves_refuse_update", "BEFORE UPDATE ON fact_leaves"),
        ("fact_leaves_refuse_delete", "BEFORE DELETE ON fact_leaves"),
        ("fact_leaves_refuse_replace", f"BEFORE INSERT ON fact_leaves WHEN {taken}"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN SELECT RAISE(ABORT, '{_APPEND_ONLY}'); END")


def _protect_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION fact_leaves_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_APPEND_ONLY}' USING ERRCODE = 'restrict_violation'; END $$"
    )
    for name, event in (
        ("fact_leaves_refuse_change", "BEFORE UPDATE OR DELETE ON fact_leaves FOR EACH ROW"),
        ("fact_leaves_refuse_truncate", "BEFORE TRUNCATE ON fact_leaves FOR EACH STATEMENT"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} EXECUTE FUNCTION fact_leaves_refuse()")
