"""Lists of pages that other programs watch, as they write them."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from rori_spiders.crawl.preview.watch_lists import read_changedetection, read_url_list, read_urlwatch
from rori_spiders.exceptions import UsageError

#: As changedetection.io 0.49 writes url-watches.json, without what is not read.
CHANGEDETECTION = {
    "note": "Hello! If you change this file manually, please be sure to restart your changedetection.io instance!",
    "version_tag": "0.49.0",
    "watching": {
        "6fd1c0aa-0c4f-4b9c-8d0f-6d0ba2a3f6d1": {
            "url": "https://www.hud.gov/fha",
            "title": "FHA",
            "tags": [],
            "time_between_check": {"weeks": None, "days": None, "hours": 12, "minutes": None, "seconds": None},
            "include_filters": ["#main", "css:.rules", "xpath://div[@id='x']"],
            "subtractive_selectors": ["footer", ".date"],
            "headers": {"Cookie": "secret=1"},
            "processor": "text_json_diff",
        },
        "0a1e6b4e-3a0d-44f1-9f5c-1f2f0a8a4c55": {"url": "https://www.va.gov/", "title": None, "include_filters": []},
    },
    "settings": {"headers": {}, "requests": {"time_between_check": {"hours": 3}}},
}
URLWATCH = """\
name: "HUD"
url: "https://www.hud.gov/fha"
filter:
  - css:
      selector: "#main"
      exclude: ".date"
  - html2text
---
navigate: https://www.va.gov/
filter:
  - element-by-id: content
  - sort
---
url: https://www.example.gov/old
filter: css:.rules,html2text
---
name: "shell"
command: "date"
"""


def test_read_changedetection_takes_selectors_and_intervals() -> None:
    first, second = read_changedetection(json.dumps(CHANGEDETECTION))
    assert (first.url, first.name, first.interval) == ("https://www.hud.gov/fha", "FHA", timedelta(hours=12))
    assert (first.selector, first.removed) == ("#main, .rules", ("footer", ".date"))
    assert first.notes == ("its filter \"xpath://div[@id='x']\" is not CSS, and was left out",)
    assert (second.name, second.interval, second.selector) == (None, None, None)
    entry = first.entry("hud-fha", "federal", "guidance", "changedetection")
    assert (entry["status"], entry["method"], entry["frequency"]) == ("proposed", "scrape", "daily")
    assert entry["scrape_config"] == {"content_selector": "#main, .rules", "remove_selectors": ["footer", ".date"]}
    assert "secret" not in json.dumps(entry)
    assert "frequency" not in second.entry("va", "federal", "guidance", "changedetection")


def test_read_changedetection_takes_the_answer_of_its_api_and_one_watch() -> None:
    watches = CHANGEDETECTION["watching"]
    assert isinstance(watches, dict)
    assert [one.url for one in read_changedetection(json.dumps(watches))] == [one["url"] for one in watches.values()]
    [one] = read_changedetection(json.dumps({"uuid": "1", "url": "https://www.va.gov/"}))
    assert (one.place, one.url) == ("watch 1", "https://www.va.gov/")


def test_read_lists_entries_without_a_url_are_named() -> None:
    *_, shell = read_urlwatch(URLWATCH)
    assert (shell.place, shell.url, shell.name) == ("job 4", "", "shell")
    with pytest.raises(ValueError, match="no URL"):
        shell.entry("shell", "federal", "guidance", "urlwatch")
    assert [one.url for one in read_changedetection('{"watching": {"a": {"title": "x"}, "b": 1}}')] == [""]


def test_read_urlwatch_takes_jobs_with_a_url() -> None:
    first, second, third, _ = read_urlwatch(URLWATCH)
    assert (first.name, first.selector, first.removed, first.notes) == ("HUD", "#main", (".date",), ())
    assert (second.url, second.selector, second.notes) == (
        "https://www.va.gov/",
        "#content",
        ("its filter sort was left out",),
    )
    assert (third.place, third.selector) == ("job 3", ".rules")


def test_read_url_list_takes_names_and_passes_over_comments() -> None:
    found = list(read_url_list("# ours\nhttps://www.hud.gov/fha  FHA page\n\nhttps://www.va.gov/\n"))
    assert [(one.place, one.url, one.name) for one in found] == [
        ("line 2", "https://www.hud.gov/fha", "FHA page"),
        ("line 4", "https://www.va.gov/", None),
    ]


@pytest.mark.parametrize("hours", [1, 24 * 3, 24 * 7, 24 * 14, 24 * 90])
def test_entry_frequency_is_never_more_often_than_daily(hours: int) -> None:
    text = json.dumps({"url": "https://www.va.gov/", "time_between_check": {"hours": hours}})
    [one] = read_changedetection(text)
    words = {1: "daily", 72: "daily", 168: "weekly", 336: "biweekly", 2160: "monthly"}
    assert one.entry("va", "federal", "guidance", "changedetection")["frequency"] == words[hours]


def test_read_lists_of_another_form_are_refused() -> None:
    for text in ("{", "[]", "[1]"):
        with pytest.raises(UsageError):
            list(read_changedetection(text))
    with pytest.raises(UsageError, match="not YAML"):
        list(read_urlwatch("a: [1"))
