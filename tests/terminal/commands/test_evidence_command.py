"""`scrapy evidence`, and heads over the life of a project: jobs, a destination that fails, keys, `verify --heads`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.evidence.heads_files import HeadCopy, load_heads
from tests.evidence.delivery.servers import Answering
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.server import Site

NAME = "ledger.example/collector"


def rows(project: Project, *args: str) -> list[dict[str, Any]]:
    done = project.scrapy(*args, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def doctor(project: Project) -> dict[str, Any]:
    report = json.loads(project.scrapy("doctor", "--format", "json").stdout)
    return next(dict(row) for row in report["checks"] if row["check"] == "signed heads")


def open_alerts(project: Project) -> list[str]:
    return [row["event"] for row in rows(project, "alerts", "list") if row["event"].startswith("head")]


@pytest.mark.crawl
def test_heads_over_the_life_of_a_project(project: Project, site: Site) -> None:
    site.page("/a", page("A"))
    project.manifest([source("a", site.at("/a"))], delay_s=0.02)
    project.env["RORI_ALERT_DIGEST"] = "07:00 UTC"
    copies = project.folder / "copies" / "heads.txt"

    # Without a key there is nothing, and advice.
    assert project.scrapy("collect").returncode == 0
    assert rows(project, "evidence", "heads") == []
    assert (doctor(project)["result"], "key create" in doctor(project)["do"]) == ("ok", True)
    assert project.scrapy("evidence", "sign").returncode == 2

    # With one, a job signs; a destination that fails raises one alert, and fails nobody.
    created = project.scrapy("evidence", "key", "create", NAME)
    assert created.returncode == 0, created.stderr
    assert (project.folder / "evidence.key").stat().st_mode & 0o777 == 0o600
    project.env["RORI_EVIDENCE_HEADS"] = f"file://{copies}"
    for _ in range(2):
        done = project.scrapy("crawl", "a")
        assert done.returncode == 0, done.stderr
        assert "did not accept the signed head" in done.stderr
    assert open_alerts(project) == ["heads_unsent"]
    assert doctor(project)["result"] == "failed"
    assert len(rows(project, "evidence", "heads")) == 2

    # The next head takes the others with it.
    copies.parent.mkdir()
    site.page("/a", page("A", text="Pay within 61 days."))
    assert project.scrapy("crawl", "a").returncode == 0
    with closing(sqlite3.connect(project.ledger)) as ledger:
        unsigned = ledger.execute(
            "SELECT kind FROM fact_leaves WHERE position >= (SELECT max(size) FROM log_heads)"
        ).fetchall()
    assert unsigned == [("alert",)], "all that the job recorded is in the head, but that its arrival cleared an alert"
    assert open_alerts(project) == []
    assert doctor(project)["result"] == "ok"
    heads = rows(project, "evidence", "heads")
    assert [copy.head.size for copy in load_heads(str(copies)) if isinstance(copy, HeadCopy)] == [
        head["size"] for head in reversed(heads)
    ]
    assert {head["origin"] for head in heads} == {NAME}
    (row,) = rows(project, "evidence", "heads", "--destinations")
    assert (row["size"], row["error"]) == (heads[0]["size"], None)

    # Whoever has the public key and a copy can check, without the key file.
    keys = project.folder / "rori-keys.txt"
    keys.write_text(project.scrapy("evidence", "key", "show").stdout)
    elsewhere = {"RORI_EVIDENCE_KEY_FILE": str(project.folder / "none"), "RORI_EVIDENCE_HEADS": ""}
    check = ("verify", "--heads", str(copies), "--keys", str(keys))
    verified = project.scrapy(*check, env=elsewhere)
    assert verified.returncode == 0, verified.stdout
    assert "6 heads" in verified.stdout
    assert project.scrapy("verify", "--heads", str(copies), env=elsewhere).returncode == 2

    # Rotation: both sign, then the old one is retired; heads of before still count.
    first = heads[0]["keys"]
    assert project.scrapy("evidence", "key", "create", "another.example").returncode == 2
    assert project.scrapy("evidence", "key", "create").returncode == 0
    assert project.scrapy("evidence", "sign").returncode == 0
    assert project.scrapy("evidence", "key", "retire", first, "--reason", "Rotated").returncode == 0
    assert project.scrapy("evidence", "sign").returncode == 0
    newest, both, *_ = rows(project, "evidence", "heads")
    assert both["keys"] == f"{first} {newest['keys']}"
    assert [row["state"] for row in rows(project, "evidence", "key", "list")] == ["signs", "retired"]
    assert project.scrapy(*check, env=elsewhere).returncode == 0
    with closing(sqlite3.connect(project.ledger)) as ledger:
        actions = ledger.execute("SELECT action, reason FROM actions WHERE target LIKE 'evidence key %'").fetchall()
    assert actions == [("create_evidence_key", None)] * 2 + [("retire_evidence_key", "Rotated")]

    # A key file that others may read is not used: the job goes on, and says so.
    (project.folder / "evidence.key").chmod(0o644)
    done = project.scrapy("crawl", "a")
    assert done.returncode == 0
    assert "The head of the log of facts was not signed" in done.stderr
    assert open_alerts(project) == ["head_unsigned"]
    assert (doctor(project)["result"], "chmod 600" in doctor(project)["found"]) == ("failed", True)

    # Nor do heads end unnoticed when the key is taken away.
    (project.folder / "evidence.key").unlink()
    done = project.scrapy("evidence", "sign")
    assert (done.returncode, "This machine has no key to sign heads" in done.stdout) == (1, True)
    assert (doctor(project)["result"], "no key signs" in doctor(project)["found"]) == ("failed", True)


def test_key_of_the_environment_signs_and_is_not_shown(project: Project) -> None:
    created = project.scrapy("evidence", "key", "create", NAME, "--stdout")
    secret = created.stdout.strip()
    assert secret.startswith(f"PRIVATE+KEY+{NAME}+")
    assert not (project.folder / "evidence.key").exists()
    project.env["RORI_EVIDENCE_KEY"] = secret
    for command in (("evidence", "key", "list"), ("evidence", "key", "show"), ("doctor",)):
        done = project.scrapy(*command)
        assert secret not in done.stdout + done.stderr
    assert rows(project, "evidence", "key", "list")[0]["name"] == NAME


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("key", "create"), "needs a NAME"),
        (("key", "create", "a b"), "name of a key"),
        (("key", "show"), "no key"),
        (("key", "retire", "00000000", "--reason", "x"), "no signing key"),
        (("key", "retire", "00000000", "--reason", "x", "--since", "2026-11-26"), "with its zone"),
        (("key", "retire", "00000000", "--reason", "x", "--since", "2999-11-26T00:00Z"), "in the future"),
    ],
)
def test_evidence_command_that_cannot_be_done_says_why(project: Project, args: tuple[str, ...], words: str) -> None:
    done = project.scrapy("evidence", *args)
    assert done.returncode == 2
    assert words in done.stderr


def test_web_hook_of_heads_is_shown_without_its_path(project: Project, tmp_path: Path) -> None:
    with Answering() as server:
        project.env |= {"RORI_EVIDENCE_HEADS": f"file://{tmp_path}/x,{server.url}/hooks/T0Kq9ZxP4w"}
        done = project.scrapy("doctor", "--format", "json")
    shown = {row["setting"]: row["value"] for row in json.loads(done.stdout)["settings"]}
    assert shown["RORI_EVIDENCE_HEADS"].startswith(f"file://{tmp_path}/x,{server.url}/...")
    assert "T0Kq9ZxP4w" not in done.stdout
