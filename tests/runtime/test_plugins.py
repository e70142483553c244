"""Plug-ins: the example package at work, and broken ones that are named and left out."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from rori_spiders.configuration.locations import Locations
from rori_spiders.content import CONVERTER_VERSION, converter_version
from rori_spiders.content.convert import digest
from rori_spiders.content.html import volatile
from rori_spiders.exceptions import StagingError, UnreadableDocument
from rori_spiders.operations.alerts.channels import configured_channels, send_message
from rori_spiders.operations.alerts.email_message import AlertMessage
from rori_spiders.operations.doctor.checks import CheckContext
from rori_spiders.operations.doctor.storage_checks import check_staging
from rori_spiders.operations.doctor.system_checks import check_plugins
from rori_spiders.runtime import plugins
from rori_spiders.runtime.plugins import GROUP, load_plugins
from rori_spiders.staging.store_factory import open_store
from rori_spiders.verdicts.judge import _all_rules, _enough_prose, _rules_by_strength, judge
from tests.support.example_plugins import install_example, install_metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

URL = "https://agency.gov/bulletins"
PROSE = "<p>A creditor shall disclose the finance charge clearly and conspicuously in writing.</p>" * 9
CALENDAR = (
    b"BEGIN:VCALENDAR\r\nX-WR-CALNAME:Hearings\r\nBEGIN:VEVENT\r\nSUMMARY:Hearing on\r\n  Part 1026\r\n"
    b"DTSTART:20260301T140000Z\r\nDESCRIPTION:Comments are due\\, in writing.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def _forget() -> None:
    caches = (plugins.text_plugins_hash, volatile._all_rules, _all_rules, _rules_by_strength)
    for cached in (load_plugins, _enough_prose, *caches):
        cached.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on ``sys.path``; what was loaded from it is forgotten at the end."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    _forget()
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    _forget()


@pytest.fixture
def example(folder: Path) -> Path:
    return install_example(folder)


def _html(body: str) -> bytes:
    return f"<html><head><title>Bulletin</title></head><body><main>{body}{PROSE}</main></body></html>".encode()


@pytest.mark.usefixtures("example")
def test_plugins_each_of_example_is_active_and_identified() -> None:
    found = load_plugins()
    assert (found.broken, len(found.active)) == ((), 6)
    assert {one.plugin.kind for one in found.active} == {
        *("converter", "verdict rules", "noise rule", "metadata extractor", "notifier", "store")
    }
    record = found.active[0].as_record()
    assert (record["package"], record["version"], len(record["code"])) == ("rori-example-plugins", "1.0.0", 64)


@pytest.mark.usefixtures("example")
def test_converter_plugin_document_is_read_and_judged_content() -> None:
    verdict = judge(status=200, url=URL, headers={"Content-Type": "text/calendar"}, body=CALENDAR)
    assert (verdict.kind, [one.rule for one in verdict.rules]) == ("content", ["document-calendars"])
    page = digest(CALENDAR, url=URL, content_type="text/calendar")
    assert page.markdown == (
        "# Hearings\n\n## Hearing on Part 1026\n\n20260301T140000Z\n\nComments are due, in writing.\n"
    )
    assert page.hints.extraction == {"way": "plug-in calendars", "kept_share": 1.0}
    with pytest.raises(UnreadableDocument, match="cut off"):
        digest(CALENDAR[:60], url=URL)


@pytest.mark.usefixtures("example")
def test_verdict_rule_plugin_wall_is_detected_by_its_name() -> None:
    wall = b"<html><body><p>Register with the bulletin portal to read this bulletin.</p></body></html>"
    verdict = judge(status=200, url=URL, headers={"Content-Type": "text/html"}, body=wall)
    assert (verdict.kind, [one.rule for one in verdict.rules]) == ("login_wall", ["portal-walls/register-to-read"])


@pytest.mark.usefixtures("example")
def test_noise_rule_plugin_line_goes_and_law_stays() -> None:
    page = digest(_html("<p>Portal ticket no. 4711</p><p>Portal ticket no. 12 is due under section 5</p>"), url=URL)
    assert "4711" not in page.markdown
    assert "12 is due" in page.markdown
    assert page.hints.removed == ("plug-in ticket-lines",)


@pytest.mark.usefixtures("example")
def test_metadata_plugin_fills_only_what_page_does_not_say() -> None:
    found = digest(_html("<!-- office: Office of Regulations -->"), url=URL).metadata
    assert found.author == "Office of Regulations"
    named = _html("<!-- office: Other -->").replace(b"<title>", b'<meta name="author" content="Anna Lee"><title>')
    assert digest(named, url=URL).metadata.author == "Anna Lee"


@pytest.mark.usefixtures("example")
def test_notifier_plugin_sends_alerts_of_its_scheme(tmp_path: Path) -> None:
    path = tmp_path / "alerts.txt"
    [channel] = configured_channels({"RORI_ALERT_URLS": f"appendfile://{path}"})
    assert send_message(channel, AlertMessage("Down", "agency.gov is down", None)) is None
    assert path.read_text("utf-8") == "Down\nagency.gov is down\n\n"
    [broken] = configured_channels({"RORI_ALERT_URLS": "appendfile:///no/such/folder"})
    assert "FileNotFoundError" in str(send_message(broken, AlertMessage("Down", "", None)))


@pytest.mark.usefixtures("example")
def test_store_plugin_holds_the_staging_area_of_its_scheme(tmp_path: Path) -> None:
    uri = f"mirrored://{tmp_path / 'staged'}?to={tmp_path / 'copy'}"
    store = open_store(uri)
    assert not (tmp_path / "staged").exists(), "opening creates nothing"
    path = "a.gov/2026-02-13/a__page__12345678.json"
    assert store.write_envelopes({path: b"{}"}) == set()
    store.write_envelope("a.gov/2026-02-13/a__two__12345678.json", b"[]")
    assert (tmp_path / "staged" / path).read_bytes() == (tmp_path / "copy" / path).read_bytes() == b"{}"
    assert len([*(tmp_path / "copy").rglob("*.json")]) == 2
    assert store.get_object(store.put_object(b"bytes")) == b"bytes"
    settings = {"RORI_STAGING": uri, "RORI_DATABASE_URL": "sqlite:////tmp/x.db"}
    assert Locations.from_settings(settings, None, {}).staging == uri
    with pytest.raises(StagingError, match="is not mirrored:///folder"):
        open_store("mirrored:///srv/staged")
    with pytest.raises(StagingError, match="a plug-in opens"):
        open_store("other:///srv/staged")


@pytest.mark.usefixtures("example")
def test_doctor_reads_staging_area_of_store_plugin(tmp_path: Path) -> None:
    uri = f"mirrored://{tmp_path / 'staged'}?to={tmp_path / 'copy'}"
    places = Locations((), uri, f"sqlite:///{tmp_path / 'ledger.db'}")
    context = CheckContext(Settings(), "", places, None, None, datetime(2026, 11, 27, tzinfo=UTC))
    results = [(one.check, one.result, one.found) for one in check_staging(context)]
    assert results == [
        ("staging", "ok", f"{tmp_path / 'staged'}, opened by a plug-in; writing is tested by each job when it starts"),
        ("staging files", "ok", "nothing staged yet"),
    ]


def test_store_plugin_that_fails_is_named(folder: Path) -> None:
    (folder / "broken_store.py").write_text(
        "from rori_spiders.runtime.plugins import StagingStore\n"
        "PLUGIN = StagingStore(interface=1, scheme='odd', open=lambda uri: 1 / 0)\n"
    )
    install_metadata(folder, "broken-store", "1.0", **{GROUP: {"odd": "broken_store:PLUGIN"}})
    _forget()
    with pytest.raises(StagingError, match=r"opened by odd \(store, broken-store 1.0\): ZeroDivisionError"):
        open_store("odd://x")


def test_converter_version_stands_for_code_of_plugins_that_texts_depend_on(folder: Path) -> None:
    assert converter_version() == CONVERTER_VERSION
    install_example(folder)
    _forget()
    first = converter_version()
    assert first.startswith(f"{CONVERTER_VERSION}+")
    module = folder / "rori_example_plugins.py"
    module.write_text(module.read_text("utf-8") + "\n# another\n", "utf-8")
    _forget()
    assert len({CONVERTER_VERSION, first, converter_version()}) == 3


_BROKEN = {
    "raises": ("raise OSError('no licence')", "OSError: no licence"),
    "old": (
        "PLUGIN = NoiseRule(interface=0, pattern='x+', words=('x',))",
        "written for interface 0, this program has 1",
    ),
    "no-words": ("PLUGIN = NoiseRule(interface=1, pattern='x+', words=())", "`words` must be words in lower case"),
    "pattern": ("PLUGIN = NoiseRule(interface=1, pattern='(', words=('x',))", "unterminated"),
    "taken": (
        "import rori_spiders.runtime.plugins as p; PLUGIN = p.StagingStore(interface=1, scheme='s3', open=print)",
        "the scheme s3 is taken",
    ),
    "nothing": ("", "has no attribute 'PLUGIN'"),
    "another": ("PLUGIN = 5", "is a int, not an instance of a class"),
    "a-kind": (
        "PLUGIN = VerdictRules(interface=1, rules=(Rule('r', 'wal', None, 'strong', 'text', 'x', 'captured'),))",
        "'wal' is none of content, challenge",
    ),
}


def test_plugins_broken_are_named_and_others_work(example: Path) -> None:
    head = "from rori_spiders.runtime.plugins import *\nfrom rori_spiders.verdicts.rule import Rule\n"
    for at, (line, _) in enumerate(_BROKEN.values()):
        (example / f"broken_{at}.py").write_text(f"{head}{line}\n", "utf-8")
    entries = {name: f"broken_{at}:PLUGIN" for at, name in enumerate(_BROKEN)} | {
        "gone": "no_such_module:P",
        "UP": "x:P",
    }
    install_metadata(example, "broken", "0.1", **{GROUP: entries})
    install_metadata(example, "zz-second", "0.1", **{GROUP: {"calendars": "rori_example_plugins:CALENDARS"}})
    found = load_plugins()
    reasons = {one.name: one.why for one in found.broken}
    assert len(found.active) == 6
    assert set(reasons) == {*entries, "calendars"}
    for name, (_, expected) in _BROKEN.items():
        assert expected in reasons[name], reasons[name]
    assert "another plug-in has this name" in reasons["calendars"]
    [warned, fine] = check_plugins(None)  # type: ignore[arg-type]
    assert warned.result == "warning" and len(warned.found.splitlines()) == len(found.broken)
    assert "left out: raises of broken: OSError: no licence" in warned.found.splitlines()
    assert warned.do.count("broken") == 1 and "zz-second" in warned.do
    assert fine.result == "ok" and "calendars (converter, rori-example-plugins 1.0.0)" in fine.found


def test_plugin_that_fails_on_page_is_named(folder: Path, write_plugin: Callable[[str], None]) -> None:
    write_plugin("PLUGIN = MetadataExtractor(interface=1, extract=lambda text, url: {'published_date': 'May'})")
    page = digest(_html(""), url=URL)
    assert page.metadata.published_date is None
    assert "mine (metadata extractor, mine 1): ValueError: Invalid isoformat string: 'May'" in page.plugin_problems[0]


def test_converter_plugin_that_fails_is_named_as_reason(folder: Path, write_plugin: Callable[[str], None]) -> None:
    write_plugin(
        "PLUGIN = DocumentConverter(interface=1, read=lambda body, url: 1 / len(body[9:]), signature=b'%MINE')"
    )
    with pytest.raises(UnreadableDocument, match=r"the plug-in mine .* gave a float"):
        digest(b"%MINE 12345678", url=URL)
    with pytest.raises(UnreadableDocument, match=r"the plug-in mine .* failed: ZeroDivisionError"):
        digest(b"%MINE", url=URL)


@pytest.fixture
def write_plugin(folder: Path) -> Callable[[str], None]:
    """Install a plug-in ``mine``, which is *code*'s ``PLUGIN``."""

    def write(code: str) -> None:
        (folder / "mine.py").write_text(f"from rori_spiders.runtime.plugins import *\n{code}\n", "utf-8")
        install_metadata(folder, "mine", "1", **{GROUP: {"mine": "mine:PLUGIN"}})

    return write
