"""`scrapy doctor --diff-settings`: what differs, where it comes from, and names that mean nothing."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from rori_spiders import settings as packaged
from rori_spiders.configuration import env_file
from rori_spiders.operations.doctor.settings_report import SettingsDifferences, list_differences

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsDifferences:
    """The report of a project with a module of its own, variables, a file `.env` and `-s`."""
    for name in ("RORI_SMTP_URL", "RORI_ALERT_EMIAL"):  # what the file brings is taken back afterwards
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(env_file, "LOADED", set())
    monkeypatch.setenv("RORI_PARALLEL_RUNS", "3")
    monkeypatch.setenv("RORI_LLM_KEYS", "abcdefgh123456789")
    monkeypatch.setenv("RORI_UMASK", "0027")
    lines = "RORI_UMASK=0022\nRORI_SMTP_URL=smtp://u:opensesame@h\nRORI_ALERT_EMIAL=x\n"
    (tmp_path / ".env").write_text(lines, encoding="utf-8")
    env_file.load_env_file(tmp_path / ".env")
    module = ModuleType("mine")
    middlewares = {**packaged.DOWNLOADER_MIDDLEWARES, "mine.Mine": 5}
    values = {
        "RORI_STAGNG": 1,
        "RORI_MAX_PAGES": 7,
        "USER_AGENT": "Mine",
        "ZYTE_API_KEY": "opensesame",
        "BOT_NAME": "rori",
    }
    vars(module).update({**values, "DOWNLOADER_MIDDLEWARES": middlewares, "__file__": "/srv/mine.py"})
    settings = Settings()
    settings.setmodule(module, priority="project")
    typed = {"RORI_PARALLEL_RUNS": 3, "RORI_UMASK": "0027", "RORI_SMTP_URL": "smtp://u:opensesame@h"}
    settings.setdict(typed, priority="project")
    settings.set("RORI_MAX_BYTES", "5", priority="cmdline")
    settings.set("RORI_TIMEOUT_CONNECT", "5", priority="cmdline")
    return list_differences(settings, str(tmp_path / "scrapy.cfg"), module, vars(packaged))


def test_differences_have_value_default_and_origin(reported: SettingsDifferences) -> None:
    rows = {one.setting: (one.value, one.origin) for one in reported.differences}
    assert rows == {
        "DOWNLOADER_MIDDLEWARES[mine.Mine]": ("5", "settings module"),
        "RORI_MAX_BYTES": ("5", "command line"),
        "RORI_MAX_PAGES": ("7", "settings module"),
        "RORI_PARALLEL_RUNS": ("3", "environment"),
        "RORI_SMTP_URL": ("smtp://[redacted]@h", ".env"),
        "RORI_UMASK": ("0027", "environment"),
        "RORI_LLM_KEYS": ("[redacted]", "environment"),
        "USER_AGENT": ("Mine", "settings module"),
        "ZYTE_API_KEY": ("[redacted]", "settings module"),
    }
    assert "opensesame" not in reported.model_dump_json()
    assert (reported.settings_module, reported.settings_file) == ("mine", "/srv/mine.py")


def test_differences_name_what_means_nothing_and_what_is_not_read(reported: SettingsDifferences) -> None:
    unknown = {one.setting: (one.origin, one.near) for one in reported.unknown}
    assert unknown == {
        "RORI_ALERT_EMIAL": (".env", "RORI_ALERT_EMAIL"),
        "RORI_STAGNG": ("settings module", "RORI_STAGING"),
        "RORI_TIMEOUT_CONNECT": ("command line", None),
    }
    assert [one.setting for one in reported.unread] == ["RORI_UMASK"]
