"""The redactor: secrets are replaced before anything is logged, stored, staged or shown."""

from __future__ import annotations

import base64
import binascii
import html
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote, unquote_plus

MASK = "[redacted]"
#: Shorter values stand in any text by chance: replacing them would say more than it hides.
_SHORTEST = 6
#: From this length on a value of one kind of character is not a word.
_LONG = 16
# What switches and places are set to: no secret, whatever the variable is called.
_SETTINGS = (
    "anonymous default development disable disabled enable enabled localhost nobody optional private production public"
    " redacted required staging testing unknown"
)
_WORDS = frozenset(_SETTINGS.split())
# Environment variables whose value is a secret, by a whole word of their name: TOKENIZERS and MONKEY are none.
_SECRET_NAME = re.compile(
    r"(^|_|API|ACCESS|PRIVATE|AUTH|SECRET|SIGNING|ENCRYPTION|LICENSE)(KEYS?|TOKENS?|SECRETS?|CREDENTIALS?|JWT|AUTH)(_|$)"
    r"|PASSW(OR)?D|PASSPHRASE|_PASS$|_PWD$",
    re.IGNORECASE,
)
# Addresses of chats and webhooks: their tokens stand in the path as well.
_TOKENS_ANYWHERE = frozenset({"RORI_ALERT_URLS"})
_PLACE_NAME = re.compile(r"_(FILE|PATH|DIR|SOCK|HOME|HOSTS?|LENGTH|COUNT|LIMIT|TTL|TIMEOUT)$", re.IGNORECASE)
_SECRET_HEADER = re.compile(
    r"authorization|cookie|(api|access|auth|subscription|functions|private|client|license)[-_]?key|token|secret|passw"
    r"|credential|session|signature|jwt|(^|[-_])(auth|pass|pwd|passcode)([-_]|$)",
    re.IGNORECASE,
)
# They say who asks and for what; a manifest may take them from the environment all the same.
_OPEN_HEADER = re.compile(r"user-agent|host|from|referer|content-type|accept(-\w+)*", re.IGNORECASE)
# Up to the authority's last @: passwords hold @ as well. Quotes and < end a URL in JSON, in a dump, in HTML.
_USERINFO = re.compile(
    r"""(?<=://)[^/?#\s"<>]+@|(?<=//)[^/?#\s"<>:@]*:[^/?#\s"<>]+@|(?<=%3A%2F%2F)(?:(?!%2F)[^/?&#\s"<>])+?%40""",
    re.IGNORECASE,
)
_DATABASE_PASSWORD = re.compile(r"://[^:/@\s]*:(.+)")
_SECRET_PARAMETER = re.compile(
    r"((?:^|[\s?&;#])(?:[\w.-]*[-_])?"
    r"(?:api[-_]?key|key|token|secret|password|passwd|signature|sig|credential|auth|jwt)=)[^&#\s\"'<>]+",
    re.IGNORECASE,
)
# The ones that can be nothing else: `key`, `token` and `sig` may as well be the number of a record, or of a file.
_CREDENTIAL_PARAMETER = re.compile(
    r"([?&;](?:[\w.-]*[-_])?(?:api[-_]?key|(?:access|auth|refresh|id|session)[-_]?token|client[-_]?secret|secret|password"
    r"|passwd|jwt|x-(?:amz|goog)-(?:signature|credential|security-token))=)[^&#\s\"'<>]+",
    re.IGNORECASE,
)
# A secret setting in a dump of settings: 'ZYTE_API_KEY': 'value'.
_DUMPED = re.compile(
    r"""(['"]\w*(?:API_KEY|SECRET_KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD|PASSWD)['"]: )(?:'[^']+'|"[^"]+")"""
)


def _passwords_in(value: str) -> Iterator[str]:
    """The password of the URL on each line of *value*: it may hold an @ itself."""
    for line in value.split("\n"):
        found = _DATABASE_PASSWORD.search(line[: max(0, line.rfind("@"))])
        if found is not None:
            yield found[1]


class Redactor:
    """Replaces known secret values, credentials in URLs and secret parameters by ``[redacted]``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        self._spelled: list[str] = []
        self._strong: list[str] = []  # as URLs and pages hold them by no chance
        self._headers: set[str] = set()
        for secret in secrets:
            self.learn(secret)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, also: Iterable[str] = ()) -> Redactor:
        """A redactor of every value whose variable's name says that it is a secret, and of passwords in URLs."""
        redactor = cls(also)
        for name, value in environment.items():
            redactor._learn_setting(name, value)
        return redactor

    # --- what it knows --------------------------------------------------------------------------------------------

    def learn(self, secret: str) -> None:
        """Replace *secret* from now on, also as URLs, HTML, JSON and base64 spell it.

        Values of under 6 characters, plain words of configuration (`production`) and small numbers are not masked.
        """
        for one in {secret.strip(), *(line.strip() for line in secret.splitlines() if len(line) >= _LONG)}:
            if one in self._known or not _is_secret(one):
                continue
            self._known.add(one)
            # Longest first, so that a secret that contains another leaves nothing behind.
            self._spelled = sorted({*self._spelled, *encoded_spellings(one)}, key=len, reverse=True)
            if _is_strong(one):
                self._strong = sorted({*self._strong, *encoded_spellings(one)}, key=len, reverse=True)

    def learn_header(self, name: str, value: str) -> None:
        """A header's value from the environment: the whole, what stands in it, and the header itself by its name."""
        if _OPEN_HEADER.fullmatch(name):
            return
        self._headers.add(name.lower())
        self.learn(value)
        if name.lower() == "cookie":
            for cookie in value.split(";"):
                self.learn(cookie.partition("=")[2])
        if name.lower().endswith("authorization"):
            scheme, _, credentials = value.strip().partition(" ")
            self.learn(credentials)
            if scheme.lower() == "basic":
                self._learn_basic(credentials)

    def _learn_basic(self, credentials: str) -> None:
        try:
            pair = base64.b64decode(credentials, validate=True).decode()
        except (binascii.Error, ValueError):
            return
        self.learn(pair)
        self.learn(pair.partition(":")[2])

    def _learn_setting(self, name: str, value: str) -> None:
        if _SECRET_NAME.search(name) and not _PLACE_NAME.search(name):
            self.learn(value)
            if "AUTH" in name.upper():
                self.learn(value.partition(":")[2])
        if name in _TOKENS_ANYWHERE:
            for part in re.split(r"[\s,/?&=@:#]+", value):
                if len(part) >= _LONG:
                    self.learn(part)
        for password in _passwords_in(value):
            self.learn(password)
            self.learn(unquote(password))

    def learn_arguments(self, arguments: Iterable[str]) -> None:
        """What was typed: ``-s ZYTE_API_KEY=...``, ``-s RORI_DATABASE_URL=postgresql://...``."""
        for argument in arguments:
            name, _, value = argument.removeprefix("--set=").partition("=")
            self._learn_setting(name, value)
            self._learn_setting("", argument)

    # --- what it replaces -----------------------------------------------------------------------------------------

    def known(self, text: str) -> str:
        """*text* without the values that it knows."""
        # One search a spelling: 12 us a log line for 12 secrets, as quick as an alternation of them all; over the
        # bytes of a page (66 ms a MiB) it is seven times as quick.
        for spelled in self._spelled:
            if spelled in text:
                text = text.replace(spelled, MASK)
        return text

    def text(self, text: str) -> str:
        """*text*, of a log line or a message, without anything that is or may be a secret."""
        text = self.known(text)
        if "@" in text or "%40" in text:
            text = _USERINFO.sub(f"{MASK}@", text)
        if "=" in text:
            text = _SECRET_PARAMETER.sub(rf"\1{MASK}", text)
        return _DUMPED.sub(rf"\1'{MASK}'", text) if "': " in text or '": ' in text else text

    def url(self, url: str) -> str:
        """*url* as it may be recorded and asked for again: unchanged unless it holds what can only be a secret.

        The name of a page must not change because it holds a word by chance: weak values and parameters that may as
        well be a record's number (`key`, `token`) stay. Also for a sentence with a URL in it.
        """
        for spelled in self._strong:
            if spelled in url:
                url = url.replace(spelled, MASK)
        if "@" in url or "%40" in url:
            url = _USERINFO.sub(f"{MASK}@", url)
        if "=" in url:
            url = mask_credential_parameters(url)
        if "%" not in url:
            return url
        plain = {unquote(url), unquote_plus(url)}
        if any(spelled in one for one in plain for spelled in self._strong):
            return f"{'/'.join(url.split('/')[:3])}/{MASK}"  # in a spelling that nobody uses
        return url

    def headers(self, headers: Mapping[str, list[str]]) -> dict[str, list[str]]:
        return {
            name: [MASK] if self._is_secret_header(name) else [self.text(value) for value in values]
            for name, values in headers.items()
        }

    def _is_secret_header(self, name: str) -> bool:
        return name.lower() in self._headers or is_secret_header_name(name)

    # --- what it looks for ----------------------------------------------------------------------------------------

    def needles(self) -> tuple[bytes, ...]:
        """The strong secrets as bytes of a page may hold them."""
        return encode_spellings(self._strong)

    def in_text(self, text: str) -> bool:
        """Whether *text* holds a strong secret."""
        return any(spelled in text for spelled in self._strong)


def contains_any(body: bytes, needles: tuple[bytes, ...]) -> bool:
    """Whether *body* holds one of *needles*."""
    return any(needle in body for needle in needles)


@lru_cache(maxsize=1024)  # the same few names come with every answer
def is_secret_header_name(name: str) -> bool:
    """Whether a header of this *name* lets somebody in."""
    return bool(_SECRET_HEADER.search(name)) and not _OPEN_HEADER.fullmatch(name)


def contains_credentials(url: str) -> bool:
    """Whether *url* carries a user, a password or a parameter that can only be a credential."""
    return bool(_USERINFO.search(url) or _CREDENTIAL_PARAMETER.search(url))


def mask_credential_parameters(text: str) -> str:
    """*text* with the values masked of URL parameters that can only be credentials."""
    return _CREDENTIAL_PARAMETER.sub(rf"\1{MASK}", text) if "=" in text else text


def may_hold_credential_parameters(text: str) -> bool:
    """Whether `mask_credential_parameters` may change *text* or a part of it."""
    return _CREDENTIAL_PARAMETER.search(text) is not None


@lru_cache(maxsize=1)
def get_redactor() -> Redactor:
    """The redactor of this process: of its environment, and of what was typed to start it."""
    redactor = Redactor.from_environment()
    redactor.learn_arguments(sys.argv[1:])
    return redactor


def _is_secret(value: str) -> bool:
    is_small_number = value.isdecimal() and len(value) < 8
    return len(value) >= _SHORTEST and value.lower() not in _WORDS and not is_small_number


def _is_strong(value: str) -> bool:
    """Whether no page and no URL holds *value* by chance: long, or of several kinds of characters."""
    if len(value) < 8:
        return False
    letters = any(map(str.isalpha, value))
    mixed = not value.isalpha() or not (value.islower() or value.isupper() or value.istitle())
    return len(value) >= _LONG or (letters and mixed)


# How one text is spelled elsewhere: in URLs, HTML, JSON, base64, and in the bytes of a page. A step.

_ESCAPE = re.compile(r"%[0-9A-F]{2}")
#: What browsers and w3lib leave as it is in a URL.
_LEFT = ":/?#[]@!$&'()*+,;=%~"


def encoded_spellings(text: str) -> set[str]:
    """*text*, and as URLs (each way of escaping), HTML, JSON, Python, base64 and a header read as latin-1 spell it."""
    urls = {quote(text), quote(text, safe=""), quote_plus(text), quote(text, safe=_LEFT)}
    urls |= {_ESCAPE.sub(lambda found: found[0].lower(), one) for one in urls}
    escaped = html.escape(text)
    markup = {
        escaped,
        html.escape(text, quote=False),
        escaped.replace("&#x27;", "&#39;"),
        escaped.replace("&#x27;", "'"),
    }
    dumped = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]}
    dumped |= {one.replace("/", "\\/") for one in dumped}
    raw = text.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    return {text, raw.decode("latin-1"), *urls, *markup, *dumped, *encoded}


def encode_spellings(texts: Iterable[str]) -> tuple[bytes, ...]:
    """*texts* as pages in ASCII-like encodings and in UTF-16 hold them, each once."""
    found: dict[bytes, None] = {}
    for text in texts:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            found.setdefault(text.encode(encoding, "surrogatepass"))
        with suppress(UnicodeEncodeError):
            found.setdefault(text.encode("cp1252"))
    return tuple(found)
