"""A ledger on PostgreSQL whose owner hides, adds or changes rows by what only that server has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.verification.schema_checks import check_schema
from tests.support.postgresql import name_of

if TYPE_CHECKING:
    from tests.support.postgresql import Cluster

FUNCTION = "CREATE FUNCTION f({0}) RETURNS {1} IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN {2}; END $$"
AS_TRIGGER = FUNCTION.format("", "trigger", "NULL").replace("IMMUTABLE", "")

FORGERIES = {
    "rule": (["CREATE RULE r AS ON INSERT TO versions DO ALSO DELETE FROM page_links"], ["versions has the rule r"]),
    "row-level security": (
        ["ALTER TABLE audit ENABLE ROW LEVEL SECURITY", "ALTER TABLE audit FORCE ROW LEVEL SECURITY"],
        ["audit hides rows by row-level security"],
    ),
    "table whose rows stand in the audit": (
        ["CREATE TABLE kept () INHERITS (audit)"],
        ["audit also has the rows of kept"],
    ),
    "default": (
        ["ALTER TABLE versions ALTER COLUMN title SET DEFAULT 'forged'"],
        ["versions.title was changed: default"],
    ),
    "default that is called": (
        [FUNCTION.format("", "text", "'x'"), "ALTER TABLE versions ALTER COLUMN title SET DEFAULT f()"],
        ["versions.title was changed: default", "versions needs the function f()"],
    ),
    "condition that is called": (
        [FUNCTION.format("t text", "bool", "true"), "ALTER TABLE versions ADD CHECK (f(title))"],
        ["versions needs the function f(text)"],
    ),
    "index that is called": (
        [FUNCTION.format("t text", "text", "t"), "CREATE INDEX k ON versions (f(title))"],
        ["versions needs the function f(text)"],
    ),
    "type": (
        ["CREATE DOMAIN d AS text", "ALTER TABLE versions ALTER COLUMN title TYPE d"],
        ["versions.title was changed: type", "versions needs the type d"],
    ),
    "column": (["ALTER TABLE runs ADD COLUMN more text"], ["runs.more: remove column to make it as it was"]),
    "primary key": (
        ["ALTER TABLE robots_seen DROP CONSTRAINT pk_robots_seen"],
        ["robots_seen has another primary key"],
    ),
    "table without log": (
        ["ALTER TABLE change_reviews SET UNLOGGED"],
        ["change_reviews is emptied by a crash: it is not logged"],
    ),
    "trigger that is said to be internal": (
        [
            AS_TRIGGER,
            "CREATE TRIGGER t BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION f()",
            "SET allow_system_table_mods = on",
            "UPDATE pg_trigger SET tgisinternal = true WHERE tgname = 't'",
        ],
        ["t is a trigger of somebody else"],
    ),
    "sessions without triggers": (
        ["ALTER DATABASE {0} SET session_replication_role = replica"],
        ["no trigger runs in sessions as this one: session_replication_role is replica"],
    ),
    "functions in place of those of PostgreSQL": (
        ["ALTER DATABASE {0} SET search_path = public, pg_catalog"],
        ["functions of other schemas come before those of PostgreSQL: search_path is public, pg_catalog"],
    ),
    "index that changes no answer": (["CREATE INDEX k ON versions (captured_at, seq)"], []),
}


@pytest.mark.postgresql
@pytest.mark.parametrize("forgery", FORGERIES)
def test_check_schema_forged_tables_are_found(postgresql: Cluster, forgery: str) -> None:
    url = postgresql.ledger()
    statements, expected = FORGERIES[forgery]
    name = name_of(url)
    with open_ledger(url) as ledger, ledger.connect() as conn:
        assert list(check_schema(conn)) == []
    postgresql.sql(*(one.replace("{0}", name) for one in statements), database=name)
    with open_ledger(url) as ledger, ledger.connect() as conn:
        assert {finding.sentence for finding in check_schema(conn)} == set(expected)
