"""Where things are: which setting wins, and what a relative path is relative to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from rori_spiders.configuration.locations import Locations, evidence_key_file
from rori_spiders.exceptions import UsageError
from tests.support.cases import cases

CFG = "/srv/rori/scrapy.cfg"


def places(environ: dict[str, str] | None = None, cfg: str | None = CFG, **settings: Any) -> Locations:
    return Locations.from_settings(settings, cfg, environ or {})


def test_locations_default_beside_scrapy_cfg() -> None:
    found = places()
    assert found.manifests == ()
    assert found.staging == "/srv/rori/collect/staged"
    assert found.database_url == "sqlite:////srv/rori/collect/ledger.db"
    assert found.allowed_addresses == ()


def test_locations_environment_then_settings_then_command_line() -> None:
    environ = {"RORI_STAGING": "/from/environment"}
    settings = Settings({"RORI_STAGING": "/from/settings"}, priority="project")
    assert Locations.from_settings(settings, CFG, environ).staging == "/from/environment"
    settings.set("RORI_STAGING", "/typed", priority="cmdline")
    assert Locations.from_settings(settings, CFG, environ).staging == "/typed"
    assert Locations.from_settings({"RORI_STAGING": "/from/settings"}, CFG, {}).staging == "/from/settings"


def test_locations_empty_variable_is_default() -> None:
    assert places({"RORI_STAGING": ""}, RORI_STAGING="/x").staging == "/x"


@pytest.mark.parametrize("text", ["a.json,/b/c.yaml", "a.json:/b/c.yaml", " a.json , /b/c.yaml,"])
def test_locations_several_manifests(text: str) -> None:
    assert places({"RORI_MANIFEST": text}).manifests == (Path("/srv/rori/a.json"), Path("/b/c.yaml"))


def test_locations_several_manifests_as_list() -> None:
    assert places(RORI_MANIFEST=["a.json", "/b.json"]).manifests == (Path("/srv/rori/a.json"), Path("/b.json"))


@cases(
    ("given", "url"),
    [
        ("sqlite:///collect/x.db", "sqlite:////srv/rori/collect/x.db"),
        ("sqlite:////var/x.db", "sqlite:////var/x.db"),
        ("x.db", "sqlite:////srv/rori/x.db"),
        ("/var/x.db", "sqlite:////var/x.db"),
        ("postgresql://user@host/rori", "postgresql://user@host/rori"),
        ("postgresql:///rori", "postgresql:///rori"),
    ],
)
def test_locations_database_urls(given: str, url: str) -> None:
    assert places(RORI_DATABASE_URL=given).database_url == url


def test_locations_bucket_url_is_unchanged() -> None:
    assert places(RORI_STAGING="s3://bucket/prefix").staging == "s3://bucket/prefix"


@pytest.mark.parametrize("cfg", [None, ""])
@pytest.mark.parametrize("setting", ["RORI_STAGING", "RORI_DATABASE_URL", "RORI_MANIFEST"])
def test_locations_relative_path_without_scrapy_cfg_is_refused(setting: str, cfg: str | None) -> None:
    absolute = {"RORI_STAGING": "/staged", "RORI_DATABASE_URL": "/ledger.db"}
    assert places({**absolute}, cfg).staging == "/staged"
    with pytest.raises(UsageError, match=rf"{setting} is the relative path 'here/x'.*absolute path"):
        places({**absolute, setting: "here/x"}, cfg)


def test_locations_password_is_never_shown() -> None:
    assert "geheim" not in repr(places(RORI_DATABASE_URL="postgresql://user:geheim@host/rori"))


def test_locations_existing_ledger_is_found(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    found = places(RORI_DATABASE_URL=str(file))
    seen = [found.has_ledger]
    file.touch()  # SQLite makes an empty file when it is only opened
    seen.append(found.has_ledger)
    file.write_text("x", encoding="utf-8")
    seen.append(found.has_ledger)
    assert seen == [False, False, True]
    assert found.shown_ledger == str(file)


def test_locations_allowed_addresses() -> None:
    assert places({"RORI_ALLOWED_ADDRESSES": "127.0.0.1:80, 10.0.0.0/8"}).allowed_addresses == (
        "127.0.0.1:80",
        "10.0.0.0/8",
    )


def test_evidence_key_file_outside_of_project_is_none_unless_named(tmp_path: Path) -> None:
    """Else each job under Scrapyd would raise an alert that it cannot sign, though nobody asked for that."""
    assert evidence_key_file({}, None, {}) is None
    assert evidence_key_file({}, tmp_path / "scrapy.cfg", {}) == tmp_path / "evidence.key"
    assert evidence_key_file({}, None, {"RORI_EVIDENCE_KEY_FILE": "/keys/one"}) == Path("/keys/one")
    with pytest.raises(UsageError, match="RORI_EVIDENCE_KEY_FILE"):
        evidence_key_file({}, None, {"RORI_EVIDENCE_KEY_FILE": "keys/one"})
