"""`scrapy monitor users`: who may sign in, typed by whoever keeps the machine."""

from __future__ import annotations

import json
import re
import signal
import socket
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import accounts, activity_log
from rori_spiders.monitor.security import passwords
from rori_spiders.monitor.web import building
from rori_spiders.terminal.commands.monitor import is_page_outdated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

PASSWORD = "correct horse battery"


def test_monitor_user_is_added_changed_and_removed(project: Project) -> None:
    added = project.scrapy("monitor", "users", "add", "anna", "--role", "operator", stdin=f"{PASSWORD}\n")
    assert (added.returncode, added.stdout) == (0, "Added anna as operator.\n")
    listed = json.loads(project.scrapy("monitor", "users", "list", "--format", "json").stdout)
    assert [(one["name"], one["role"]) for one in listed] == [("anna", "operator")]
    assert "$argon2" not in json.dumps(listed)
    role = project.scrapy("monitor", "users", "role", "anna", "--role", "viewer")
    assert role.stdout == "Changed the role of anna to viewer.\n"
    changed = project.scrapy("monitor", "users", "password", "anna", stdin="another long password")
    assert changed.stdout == "Changed the password of anna and signed them out everywhere.\n"
    ledger = open_ledger(f"sqlite:///{project.ledger}")
    with ledger.connect() as conn:
        found = accounts.find_user(conn, "anna")
        done = [row["action"] for row in activity_log.recent_actions(conn, target="user:anna")]
    assert found is not None and passwords.verify_password("another long password", found.password_hash)
    assert found.role == "viewer"
    assert project.scrapy("monitor", "users", "remove", "anna").returncode == 0
    with ledger.connect() as conn:
        assert accounts.list_users(conn) == []
    ledger.close()
    assert done == ["set_password", "set_role", "add_user"]


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("add", "anna"), "", "required: --role"),
        (("add", "--role", "viewer"), "", "required: NAME"),
        (("add", "an na", "--role", "viewer"), PASSWORD, "is not a valid user name"),
        (("add", "policy", "--role", "operator"), PASSWORD, "is a reserved user name"),
        (("add", "anna", "--role", "viewer"), "short", "at least 15 characters"),
        (("add", "anna", "--role", "viewer"), "", "at least 15 characters"),
        (("remove", "ben"), "", "unknown user 'ben'"),
        (("password", "ben"), "", "unknown user 'ben'"),
        (("role", "ben", "--role", "viewer"), "", "unknown user 'ben'"),
        (("list", "ben"), "", "unexpected argument: ben"),
        (("list", "--role", "viewer"), "", "unknown option: --role"),
        (("remove", "ben", "--no-password"), "", "unknown option: --no-password"),
        (("add", "anna", "--role", "viewer", "--password", "x"), "", "unknown option: --password"),
    ],
)
def test_monitor_invalid_user_command_is_refused(
    project: Project, words: tuple[str, ...], stdin: str, said: str
) -> None:
    answer = project.scrapy("monitor", "users", *words, stdin=stdin)
    assert answer.returncode == 2 and said in answer.stderr, answer.stderr


def test_monitor_tokens_are_made_listed_and_revoked(project: Project) -> None:
    add_user = ("monitor", "users", "add", "anna", "--role", "operator", "--no-password")
    assert project.scrapy(*add_user).returncode == 0
    made = project.scrapy("monitor", "tokens", "add", "anna", "--scope", "read", "--label", "dashboard", "--days", "7")
    assert re.fullmatch(
        r"Token 1 of anna, scope read, valid for 7 days:\nrori_[\w-]{43}\nIt is not shown again\. .*\n", made.stdout
    ), made.stderr
    assert project.scrapy("monitor", "tokens", "revoke", "1").stdout == "Revoked token 1.\n"
    listed = project.scrapy("monitor", "tokens", "list")
    assert "dashboard" in listed.stdout and "rori_" not in listed.stdout
    assert "no valid token 1" in project.scrapy("monitor", "tokens", "revoke", "1").stderr
    for order, said in ((("ben",), "unknown user 'ben'"), (("anna", "--days", "999"), "--days is above 366")):
        refused = project.scrapy("monitor", "tokens", "add", *order, "--scope", "read", "--label", "x")
        assert refused.returncode == 2 and said in refused.stderr


def test_monitor_public_address_needs_a_user(project: Project) -> None:
    answer = project.scrapy("monitor", "-s", "RORI_MONITOR_HOST=0.0.0.0")
    assert answer.returncode == 2 and "no users exist. Run: scrapy monitor users add" in answer.stderr


def test_monitor_taken_port_is_reported(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = project.scrapy("monitor", "-s", f"RORI_MONITOR_PORT={taken.getsockname()[1]}")
    assert answer.returncode == 2 and "If a monitor is already running" in answer.stderr


def test_monitor_prints_address_and_stops_cleanly(project: Project) -> None:
    with project.start("monitor", "-s", "RORI_MONITOR_PORT=0", begin=()) as running:
        assert running.stdout is not None
        said = [running.stdout.readline() for _ in range(3)]
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0
    assert re.fullmatch(r"The monitor of .+ is at http://127\.0\.0\.1:\d+\n", said[0])
    assert said[1] == "Press Ctrl-C to stop.\n" and "scrapy monitor users add NAME --role operator" in said[2]


def test_monitor_page_of_earlier_sources_is_outdated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "WEB", tmp_path / "web")
    monkeypatch.setattr(building, "PAGE", tmp_path / "page")
    monkeypatch.setattr(building, "STAMP", tmp_path / "page" / "sources.sha256")
    source = tmp_path / "web" / "index.html"
    for made in (source, building.STAMP):
        made.parent.mkdir()
        made.write_text("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n")
    assert is_page_outdated()
    source.unlink()
    assert not is_page_outdated()
