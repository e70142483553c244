"""`scrapy doctor` on a ledger in PostgreSQL and a staging area in S3: what stands against a job. Nothing is changed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.operations.doctor.doctor_output import told
from tests.staging.s3.proxy import Fault
from tests.support.postgresql import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.operations.doctor.doctor_output import Typed
    from tests.staging.s3.fixtures import Area
    from tests.support.postgresql import Cluster
    from tests.support.project import Project


@pytest.fixture
def ledger(three: Project, postgresql: Cluster) -> Iterator[str]:
    """The name of the database that the project's ledger is in."""
    url = three.env["RORI_DATABASE_URL"] = postgresql.ledger()
    yield name_of(url)
    if postgresql.sql("SELECT 1 FROM pg_roles WHERE rolname = 'doctors_jobs'"):
        postgresql.sql("DROP OWNED BY doctors_jobs", "DROP ROLE doctors_jobs", database=name_of(url))


def as_role(three: Project, server: Cluster, database: str, *grants: str) -> None:
    """The project asks as a user who has these rights only."""
    server.sql("CREATE ROLE doctors_jobs LOGIN", *grants, database=database)
    three.env["RORI_DATABASE_URL"] = server.url(database, user="doctors_jobs")


def test_doctor_postgresql_passes(three: Project, typed: Typed, ledger: str, postgresql: Cluster) -> None:
    found = told(typed, code=0)
    assert found["ledger"][0]["found"].startswith("PostgreSQL 1")
    assert found["connections"][0]["result"] == "ok"
    assert found["database's clock"][0]["result"] == "ok"


EVERYTHING = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO doctors_jobs"
SEQUENCES = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO doctors_jobs"


@pytest.mark.parametrize(
    ("grants", "sentence"),
    [
        (["GRANT SELECT ON ALL TABLES IN SCHEMA public TO doctors_jobs"], "of its tables (actions"),
        ([EVERYTHING, "REVOKE DELETE ON leases FROM doctors_jobs"], "this user cannot write 1 of its tables"),
        ([EVERYTHING], "of its sequences"),
        (
            [EVERYTHING, SEQUENCES, "ALTER ROLE doctors_jobs SET default_transaction_read_only = on"],
            "read-only for this user",
        ),
    ],
)
def test_doctor_postgresql_user_without_rights_fails(
    three: Project, typed: Typed, ledger: str, postgresql: Cluster, grants: list[str], sentence: str
) -> None:
    as_role(three, postgresql, ledger, *grants)
    [row] = told(typed, code=1)["ledger"]
    assert sentence in row["found"]
    assert row["do"]


def test_doctor_documented_rights_are_enough(three: Project, typed: Typed, ledger: str, postgresql: Cluster) -> None:
    document = (Path(__file__).parents[3] / "docs/reference/ledger.md").read_text().replace("rori_jobs", "doctors_jobs")
    grants = [line for line in document.splitlines() if re.match(r"(GRANT|REVOKE) .*doctors_jobs;", line)]
    assert len(grants) >= 4
    as_role(three, postgresql, ledger, *grants)
    assert told(typed, code=0)["ledger"][0]["result"] == "ok"


def test_doctor_unreachable_server_fails(three: Project, typed: Typed) -> None:
    three.env["RORI_DATABASE_URL"] = "postgresql://rori@127.0.0.1:1/rori"
    assert "cannot be reached" in told(typed, code=1)["ledger"][0]["found"]


def test_doctor_bucket_passes_unchanged(three: Project, typed: Typed, area: Area) -> None:
    three.env |= {**area.env, "RORI_STAGING": area.uri}
    [row] = told(typed, code=0)["staging"]
    assert "can be listed, not versioned; writing and deleting are tested by each job" in row["found"]
    assert area.env["AWS_SECRET_ACCESS_KEY"] not in str(row)
    assert area.keys("") == []
    area.client.put_bucket_versioning(Bucket=area.name, VersioningConfiguration={"Status": "Enabled"})
    assert ", versioned;" in told(typed, code=0)["staging"][0]["found"]


def test_doctor_bucket_rule_expiring_staged_files_fails(three: Project, typed: Typed, area: Area) -> None:
    three.env |= {**area.env, "RORI_STAGING": area.uri}
    rules = [
        {"ID": "old-logs", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 9}},
        {"ID": "everything", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 90}},
    ]
    area.client.put_bucket_lifecycle_configuration(Bucket=area.name, LifecycleConfiguration={"Rules": rules})
    [row] = told(typed, code=1)["staging"]
    assert "its rule everything expires" in row["found"]


def test_doctor_bucket_rules_unreadable_is_reported(three: Project, typed: Typed, area: Area) -> None:
    three.env |= {**area.env, "RORI_STAGING": area.uri}
    area.proxy.always = [Fault("403", "GET", "?lifecycle"), Fault("403", "GET", "?versioning")]
    [row] = told(typed, code=0)["staging"]
    assert "can be listed; its lifecycle rules cannot be read; writing" in row["found"]


def test_doctor_missing_bucket_fails(three: Project, typed: Typed, area: Area) -> None:
    three.env |= {**area.env, "RORI_STAGING": "s3://nowhere-at-all/staged"}
    assert "the bucket does not exist" in told(typed, code=1)["staging"][0]["found"]
