"""Find sensitive data: credentials, social security numbers, contact details.

A finding never repeats what was found: it names line and kind.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rori_spiders.corpus.auditing.document_lines import DocumentLines
from rori_spiders.corpus.auditing.findings import Finding, make_finding
from rori_spiders.runtime.redaction import Redactor, contains_credentials


class Secret(NamedTuple):
    """The format of a kind of key, with its reference."""

    name: str
    pattern: re.Pattern[str]
    source: str


# fmt: off
CREDENTIAL_PATTERNS: tuple[Secret, ...] = (
    Secret("a private key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"), "RFC 7468; RFC 9580"),
    Secret("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"), "AWS IAM, unique identifiers"),
    Secret("a GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})\b"), "GitHub, tokens"),
    Secret("a GitLab token", re.compile(r"\bglpat-[\w-]{20,}"), "GitLab, token overview"),
    Secret("a Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"), "Slack, token types"),
    Secret("a Slack webhook", re.compile(r"hooks\.slack\.com/services/T\w+/B\w+/\w{16,}"), "Slack, incoming webhooks"),
    Secret("a Google API key", re.compile(r"\bAIza[\w-]{35}(?![\w-])"), "Google Cloud, API keys"),
    Secret("a Stripe key", re.compile(r"\b[rs]k_live_[A-Za-z0-9]{16,}\b"), "Stripe, API keys"),
    Secret("a model's key", re.compile(r"\bsk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{32,}"), "OpenAI, Anthropic"),
    Secret("a SendGrid key", re.compile(r"\bSG\.[\w-]{22}\.[\w-]{43}\b"), "SendGrid, API keys"),
    Secret("a JSON web token", re.compile(r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"), "RFC 7519"),
)
# fmt: on

_URL = re.compile(r"(?:https?|ftp|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqp)://[^\s<>()\"'`|]+", re.IGNORECASE)
# Areas 000, 666 and 900 to 999, group 00 and serial 0000 were never given out (SSA, "SSN randomization").
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}([-\u2010-\u2013 ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-]|\.\d)")
# With blanks it may be any three numbers: only beside these words.
_NAMED = re.compile(r"\bSSN\b|social security", re.IGNORECASE)
# Printed as examples: on wallets and leaflets, both void since; and what everybody writes.
_EXAMPLES = frozenset({"078051120", "219099999", "123456789", "111223333", "123121234", "111111111", "555555555"})
# Each run of such characters is tried once, from its beginning: a page may be one of a megabyte.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_PHONE = re.compile(r"(?<![\w.-])(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-]|\.\d)")
# first.last@, first_last@: no desk is called so.
_PERSONS = re.compile(r"[a-z]{2,}[._](?:[a-z][._])?[a-z]{2,}\d{0,2}@", re.IGNORECASE)
_DESKS = re.compile(
    r"^(?:info|contact|help|support|press|media|office|public|customer|service|records|web|privacy|legal|comments?|ask|mail"
    r"|reg|rule|hearing|housing|consumer|compliance|foia|no|do|team|desk|program|general|human|board|town|city|county)"
    r"[._]|[._](?:info|help|support|office|team|desk|comments?|records|affairs|services?|relations|reply|program|board)\d*@",
    re.IGNORECASE,
)


def find_sensitive_data(reading: DocumentLines, secrets: Redactor | None = None) -> Iterator[Finding]:
    """Find sensitive data. *secrets*: the secrets of this installation."""
    for name, at in _find_credentials(reading, secrets):
        yield make_finding("credential", reading.number_at(at), f"possibly {name} (not repeated here)")
    for at in _find_social_security_numbers(reading.body):
        yield make_finding("social_security_number", reading.number_at(at), "possibly a social security number")
    yield from _find_contacts(reading)


def _find_credentials(reading: DocumentLines, secrets: Redactor | None) -> Iterator[tuple[str, int]]:
    body = reading.body
    for shape in CREDENTIAL_PATTERNS:
        yield from ((shape.name, key.start()) for key in shape.pattern.finditer(body))
    for url in _URL.finditer(body):
        if contains_credentials(url[0]):
            yield "a user name or key in a URL", url.start()
    if secrets is not None and secrets.in_text(body):
        at = 0
        for line in body.split("\n"):
            if secrets.in_text(line):
                yield "a secret of this installation", at
            at += len(line) + 1


def _find_social_security_numbers(body: str) -> Iterator[int]:
    for number in _SSN.finditer(body):
        line = body[body.rfind("\n", 0, number.start()) + 1 : number.end() + 100].partition("\n")[0]
        if re.sub(r"\D", "", number[0]) not in _EXAMPLES and (number[1] != " " or _NAMED.search(line)):
            yield number.start()


def _find_contacts(reading: DocumentLines) -> Iterator[Finding]:
    """Count contact details. It is only a note, because agencies publish their mailboxes and hotlines."""
    mails, phones = list(_EMAIL.finditer(reading.body)), list(_PHONE.finditer(reading.body))
    if not mails and not phones:
        return
    boxes = {one[0].lower() for one in mails}
    numbers = {re.sub(r"\D", "", one[0])[-10:] for one in phones}
    persons = sum(bool(_PERSONS.match(box) and not _DESKS.search(box)) for box in boxes)
    of_persons = f" ({persons} probably of a person)" if persons else ""
    first = reading.number_at(min(one.start() for one in (*mails, *phones)))
    message = f"e-mail addresses: {len(boxes)}{of_persons}; telephone numbers: {len(numbers)}; this line has the first"
    yield make_finding("contact_details", first, message)
