"""Servers that hang, refuse, redirect or are not there: the alert stays due, its error has a name, nobody waits."""

from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.operations.alerts import channels, email_message
from tests.operations.alerts.servers import refusing, says
from tests.support.cases import cases

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness
    from tests.support.server import Site

HELLO = email_message.AlertMessage("[RORI] test", "hello\n")


def error_of(settings: dict[str, str], timeout_s: float = 10) -> str:
    [way] = channels.configured_channels(settings)
    return channels.send_message(way, HELLO, timeout_s=timeout_s) or ""


def mail(address: str) -> dict[str, str]:
    return {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": f"smtp://{address}"}


def test_email_channel_silent_server_accepts() -> None:
    with says(b"") as address:
        assert error_of(mail(address), 0.5) == "no answer within 0.5 s"


def test_email_channel_refusing_server_fails() -> None:
    with says(b"554 5.7.1 go away\r\n") as address:
        assert "554" in error_of(mail(address))
    assert "refused" in error_of(mail(refusing()))


def test_channel_failing_beside_another_has_its_own_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that was left behind at a server that hangs fails while the next one is sent."""

    class Service:
        def notify(self, **_: object) -> bool:
            log = logging.getLogger("apprise")
            other = threading.Thread(target=log.warning, args=["Connection error of another"])
            other.start()
            other.join()
            log.warning("Socket Exception: 554")
            return False

    monkeypatch.setattr(channels, "_make_apprise", lambda _: Service())
    channel = channels.Channel("mail", "mail", "mailto://127.0.0.1")
    assert channels.send_message(channel, HELLO) == "Socket Exception: 554"


def test_webhook_channel_sends_json_and_needs_2xx(site: Site, path: object) -> None:
    hook = {"RORI_ALERT_URLS": f"json://{site.netloc}/hook"}
    site.page("/hook", "<p>ok</p>")
    assert error_of(hook) == ""
    [hit] = site.log.hits()
    assert hit.method == "POST"
    site.status("/hook", 500)
    assert "500" in error_of(hook)
    site.redirect("/hook", "/elsewhere")
    site.page("/elsewhere", "<p>ok</p>")
    assert "302" in error_of(hook) or "301" in error_of(hook)
    assert [one.path for one in site.log.hits()].count("/elsewhere") == 0


def test_alert_delivery_failed_message_stays_due_with_error(harness: AlertHarness, path: object) -> None:
    harness.opens("s1", "source_blocked")
    good = harness.settings["RORI_SMTP_URL"]
    harness.settings["RORI_SMTP_URL"] = f"smtp://{refusing()}"
    [sent] = harness.round().failed
    assert "refused" in (sent.error or "")
    harness.settings["RORI_SMTP_URL"] = good
    harness.round(1)
    assert harness.box.titles == ["[RORI] high: s1: source_blocked"]


def test_alert_delivery_failing_channel_delays_no_other(harness: AlertHarness, path: object) -> None:
    harness.opens("s1", "source_blocked")
    harness.settings["RORI_ALERT_URLS"] = f"json://{refusing()}/hook"
    done = harness.round()
    assert len(done.sent) == 2
    assert len(done.failed) == 1
    assert len(harness.box.mails) == 1


@cases(
    "settings",
    [
        {"RORI_ALERT_EMAIL": "nobody"},
        {"RORI_ALERT_EMAIL": "a@example.org\nBcc: b@example.org", "RORI_SMTP_URL": "smtp://localhost"},
        {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": "http://mail.example.org"},
        {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": "smtp://:s3cretPassw0rd@"},
        {"RORI_ALERT_URLS": "nonsense://s3cretPassw0rd"},
        {"RORI_ALERT_URLS": "s3cretPassw0rd"},
    ],
)
def test_channel_settings_invalid_are_reported_without_secrets(settings: dict[str, str]) -> None:
    with pytest.raises(UsageError) as error:
        channels.configured_channels(settings)
    assert "s3cretPassw0rd" not in str(error.value)


def test_channel_description_never_shows_secrets() -> None:
    ways = channels.configured_channels(
        {
            "RORI_ALERT_EMAIL": "ops@example.org, night@example.org",
            "RORI_SMTP_URL": "smtps://collector:s3cretPassw0rd@mail.example.org?from=c@example.org",
            "RORI_ALERT_URLS": "jsons://user:s3cretPassw0rd@hooks.example.org/x,slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#ops",
        }
    )
    shown = [one.shown for one in ways]
    assert shown[0] == "e-mail to ops@example.org,night@example.org by mail.example.org:465"
    assert shown[1].startswith("webhook at hooks.example.org (jsons-")
    assert shown[2].startswith("Slack (slack-")
    for secret in ("s3cretPassw0rd", "TIiajkdnlazkcOXrIdevi7FQ"):
        assert secret not in json.dumps([repr(one) for one in ways])


def test_alert_message_hostile_words_stay_one_line(harness: AlertHarness, path: object) -> None:
    evil = "x\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>\x1b[2J\u202e" + "A" * 5000
    harness.opens("s1", "source_blocked", evil, pages=[f"https://www.example.org/{evil}"])
    harness.round()
    [received] = harness.box.mails
    assert received["Bcc"] is None
    assert received["Subject"] == "[RORI] high: s1: source_blocked"
    text = received.get_content()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x Bcc: victim@example.org <script>alert(1)</script>" in text
    assert max(map(len, text.splitlines())) < 800
