"""The ways out: where alerts are sent by the settings, and one message through one of them, by Apprise.

Settings: RORI_ALERT_EMAIL with RORI_SMTP_URL, and RORI_ALERT_URLS. Whatever a server does, ``send`` comes back in 30 s.
"""

import logging
import re
import threading
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from typing import Any, Protocol
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from rori_spiders.exceptions import UsageError
from rori_spiders.operations.alerts.email_message import AlertMessage
from rori_spiders.runtime.plugins import Notifier, active_plugins
from rori_spiders.runtime.redaction import get_redactor

#: A server that is silent for this long counts as down, seconds.
TIMEOUT_S = 30.0
#: Between two of its words; under the above, so that most often the failure has a name.
_SILENCE_S = 20.0
#: Scheme of RORI_SMTP_URL -> Apprise's scheme and mode, usual port.
_SMTP = {
    "smtp": ("mailto", "insecure", 25),
    "smtp+starttls": ("mailtos", "starttls", 587),
    "smtps": ("mailtos", "ssl", 465),
}
_ADDRESS = re.compile(r"[^\s@,<>\"]+@[^\s@,<>\"]+")


class Settings(Protocol):
    def get(self, name: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel. *name* identifies it in the ledger, *shown* is for people; neither contains a secret."""

    name: str
    shown: str
    url: str = field(repr=False)


def configured_channels(settings: Settings) -> list[Channel]:
    """The channels of the settings. Raises UsageError, which never repeats a URL, for an invalid one."""
    found = []
    if addresses := _split_list(settings.get("RORI_ALERT_EMAIL")):
        found.append(email_channel(addresses, str(settings.get("RORI_SMTP_URL") or "")))
    for number, url in enumerate(_split_list(settings.get("RORI_ALERT_URLS")), 1):
        found.append(_apprise_channel(url, number))
    return list({channel.name: channel for channel in found}.values())


def send_message(channel: Channel, message: AlertMessage, *, timeout_s: float = TIMEOUT_S) -> str | None:
    """Send *message* through *channel*. None when the server took it, else why not, in words without secrets.

    What a hanging server holds back is left behind in a thread that does not keep the process.
    """
    answer: list[str | None] = []
    trying = threading.Thread(target=lambda: answer.append(_send(channel, message)), daemon=True, name="alert")
    trying.start()
    trying.join(timeout_s)
    return answer[0] if answer else f"no answer within {timeout_s:g} s"


def _split_list(value: Any) -> list[str]:
    words = value.split(",") if isinstance(value, str) else value or ()
    return [word.strip() for word in words if word.strip()]


def email_channel(addresses: list[str], smtp_url: str, *, name: str = "RORI_ALERT_EMAIL") -> Channel:
    """E-mail to *addresses* by the server of RORI_SMTP_URL. Raises UsageError; *name* says where they are from."""
    for address in addresses:
        if not _ADDRESS.fullmatch(address):
            raise UsageError(f"{name}: {address!r} is not a valid e-mail address")
    try:
        server = urlsplit(smtp_url)
        scheme, mode, default_port = _SMTP[server.scheme]
        port = server.port or default_port
    except (ValueError, KeyError):
        raise UsageError(f"RORI_SMTP_URL must begin with {', '.join(f'{one}://' for one in _SMTP)}") from None
    if not server.hostname:
        raise UsageError("RORI_SMTP_URL has no server. Expected smtps://user:password@mail.example.org")
    credentials, at, _ = server.netloc.rpartition("@")
    senders = [*parse_qs(server.query).get("from", ()), unquote(server.username or ""), addresses[0]]
    sender = next(one for one in senders if _ADDRESS.fullmatch(one))
    parameters = {"mode": mode, "from": sender, "to": ",".join(addresses)}
    host = f"[{server.hostname}]" if ":" in server.hostname else server.hostname
    url = f"{scheme}://{credentials}{at}{host}:{port}?{urlencode(parameters, quote_via=quote)}"
    if _make_apprise(url) is None:
        raise UsageError(f"RORI_SMTP_URL and {name} together are not a valid mail configuration")
    return Channel(
        _channel_name("email", f"{host}:{port} {parameters['to']}"),
        f"e-mail to {parameters['to']} by {host}:{port}",
        url,
    )


def _apprise_channel(url: str, number: int) -> Channel:
    scheme, _, rest = url.partition("://")
    # Without the password: the name must not change with it, nor prove it.
    name = _channel_name(scheme.lower(), re.sub(r":[^:@/]*@", "@", rest.partition("?")[0]))
    if _find_notifier(url) is not None:
        return Channel(name, f"plug-in {scheme} ({name})", url)
    made = _make_apprise(url)
    if made is None:
        raise UsageError(
            f"RORI_ALERT_URLS: Apprise does not support address number {number} (jsons://host/path, slack://..., "
            "mailtos://...; https://appriseit.com/services)"
        )
    is_hook = scheme.lower() in {"json", "jsons", "xml", "xmls", "form", "forms"}
    shown = f"webhook at {urlsplit(url).hostname}" if is_hook else str(made.service_name)
    return Channel(name, f"{shown} ({name})", url)


def _channel_name(kind: str, what: str) -> str:
    return f"{kind[:20]}-{sha256(what.encode()).hexdigest()[:12]}"


def _make_apprise(url: str) -> Any:
    from apprise import Apprise, AppriseAsset  # half a second: most commands send nothing

    # Nothing of the service's own: no icons, and no redirect, which would make a GET of a message and call it sent.
    asset = AppriseAsset(app_id="RORI Collector", app_desc="RORI Collector", http_redirects=False, secure_logging=True)
    return Apprise.instantiate(url, asset=asset, suppress_exceptions=True)


def _find_notifier(url: str) -> Notifier | None:
    scheme = url.partition("://")[0].lower()
    return next((one for _, one in active_plugins(Notifier) if one.scheme == scheme), None)


def _send(channel: Channel, message: AlertMessage) -> str | None:
    notifier = _find_notifier(channel.url)
    if notifier is None:
        return _send_with_apprise(channel, message)
    try:
        notifier.send(channel.url, message.title, message.body)
    except Exception as error:  # another's code: a failed try, whatever it breaks on
        return get_redactor().text(f"{type(error).__name__}: {error}")
    return None


def _send_with_apprise(channel: Channel, message: AlertMessage) -> str | None:
    from apprise import NotifyFormat

    log, captured, own = logging.getLogger("apprise"), StringIO(), threading.get_ident()
    log.propagate = False  # the caller logs its messages, once
    log.setLevel(logging.DEBUG)
    handler = logging.StreamHandler(captured)
    handler.addFilter(lambda record: record.thread == own)  # another may be left behind, at a server that hangs
    log.addHandler(handler)
    try:
        made = _make_apprise(channel.url)
        made.socket_connect_timeout = made.socket_read_timeout = _SILENCE_S
        body, form = message.body, NotifyFormat.TEXT
        if message.html is not None and channel.url.startswith(("mailto:", "mailtos:")):
            body, form = message.html, NotifyFormat.HTML
        done = made.notify(body=body, title=message.title, body_format=form)
        return None if done else _failure_reason(captured.getvalue())
    except Exception as error:  # whatever a service's module breaks on is a failed try
        return get_redactor().text(f"{type(error).__name__}: {error}")
    finally:
        log.removeHandler(handler)


def _failure_reason(log: str) -> str:
    """What Apprise logged of a failure: its warnings, and the exception of the socket."""
    telling = [line.strip() for line in log.splitlines() if re.search(r"Exception|error|fail", line, re.IGNORECASE)]
    return get_redactor().text("; ".join(dict.fromkeys(telling))[:500]) or "it was not accepted"
