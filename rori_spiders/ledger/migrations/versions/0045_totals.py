"""Totals of closed runs and of their versions, counted by triggers as they change: metrics read each run before.

Whatever closes a run, opens it again or corrects it is counted in the same transaction. A version of an open run is
counted when the run is closed, so that pages of different runs never wait for each other.
"""

# ruff: noqa: S608  all names are constants of this file

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"

_PAGES = ("captured", "unchanged", "excluded", "failed", "gone")
_SUMMED = ("requests", "browser_pages", "seconds")
_COLUMNS = ("runs", *_SUMMED, *_PAGES)


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    kinds = dict.fromkeys(_COLUMNS, big) | {"seconds": sa.Float()}
    op.create_table(
        "run_totals",
        sa.Column("state", sa.String(12), primary_key=True),
        sa.Column("method", sa.String(20), primary_key=True),
        *(sa.Column(name, kind, nullable=False) for name, kind in kinds.items()),
    )
    op.create_table(
        "change_totals",
        sa.Column("change_type", sa.String(10), primary_key=True),
        sa.Column("versions", big, nullable=False),
    )
    op.drop_index("ix_versions_change", "versions")
    where = sa.text("change_type = 'modified'")
    op.create_index(
        "ix_versions_modified", "versions", ["captured_at", "run_id"], sqlite_where=where, postgresql_where=where
    )
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    json = "(({row}counts ->> '{name}')::bigint)" if is_postgresql else "json_extract({row}counts, '$.{name}')"

    def values(row: str) -> list[str]:
        pages = (f"coalesce({json.format(row=row, name=name)}, 0)" for name in _PAGES)
        return ["1", *(f"{row}{name}" for name in _SUMMED), *pages]

    columns = ", ".join(_COLUMNS)
    op.execute(
        f"INSERT INTO run_totals (state, method, {columns}) SELECT state, method, "
        f"{', '.join(f'sum({one})' for one in values(''))} FROM runs WHERE {_is_closed('state')} GROUP BY state, method"
    )
    op.execute(
        "INSERT INTO change_totals (change_type, versions) SELECT v.change_type, count(*) FROM versions v "
        f"JOIN runs r ON r.run_id = v.run_id WHERE {_is_closed('r.state')} GROUP BY v.change_type"
    )

    def add_run(row: str, sign: str) -> str:
        added = ", ".join(f"{sign}{one}" for one in values(row))
        sums = ", ".join(f"{name} = run_totals.{name} + excluded.{name}" for name in _COLUMNS)
        return (
            f"INSERT INTO run_totals (state, method, {columns}) SELECT {row}state, {row}method, {added} "
            f"WHERE {_is_closed(f'{row}state')} ON CONFLICT (state, method) DO UPDATE SET {sums};"
        )

    # In the order of the types: two runs that are closed at once then never wait for each other in a circle.
    add_versions = (
        "INSERT INTO change_totals (change_type, versions) SELECT change_type, "
        f"CASE WHEN {_is_closed('NEW.state')} THEN count(*) ELSE -count(*) END FROM versions "
        f"WHERE run_id = NEW.run_id AND ({_is_closed('OLD.state')}) <> ({_is_closed('NEW.state')}) "
        f"GROUP BY change_type ORDER BY change_type {_ADD_VERSIONS};"
    )
    add_version = (
        f"INSERT INTO change_totals (change_type, versions) SELECT NEW.change_type, 1 "
        f"WHERE (SELECT {_is_closed('state')} FROM runs WHERE run_id = NEW.run_id) {_ADD_VERSIONS};"
    )
    is_either_closed = f"{_is_closed('OLD.state')} OR {_is_closed('NEW.state')}"
    for name, event, condition, body in (
        ("runs_count_insert", "INSERT ON runs", _is_closed("NEW.state"), add_run("NEW.", "+")),
        (
            "runs_count_update",
            "UPDATE ON runs",
            is_either_closed,  # the requests of a run under way are added with each of its pages
            add_versions + add_run("OLD.", "-") + add_run("NEW.", "+"),
        ),
        ("versions_count_insert", "INSERT ON versions", "true", add_version),
    ):
        if is_postgresql:
            op.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN IF {condition} THEN {body} END IF; RETURN NULL; END $$"
            )
            op.execute(f"CREATE TRIGGER {name} AFTER {event} FOR EACH ROW EXECUTE FUNCTION {name}()")
        else:
            op.execute(f"CREATE TRIGGER {name} AFTER {event} WHEN {condition} BEGIN {body} END")


_ADD_VERSIONS = "ON CONFLICT (change_type) DO UPDATE SET versions = change_totals.versions + excluded.versions"


def _is_closed(state: str) -> str:
    return f"{state} NOT IN ('running', 'partial')"
