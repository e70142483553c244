"""Compose the message of a subscription: what changed, as plain text and as the HTML of an e-mail.

The HTML has tables and inline styles only, which Outlook and telephones show alike, and loads nothing. What each mail
program supports: caniemail.com; it was looked at in Chromium, Firefox, WebKit and text browsers (2026-11-27).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lxml import html
from lxml.html import builder as make

from rori_spiders.comparison.change_report import (
    Publication,
    change_reasons,
    change_sentence,
    change_words,
    group_changes,
)
from rori_spiders.comparison.importance import Importance
from rori_spiders.ledger.pages.change_records import ChangeRow
from rori_spiders.ledger.pages.subscriptions import Subscription
from rori_spiders.operations.alerts.email_message import AlertMessage, sanitise_line
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_rori

#: A message is read on a telephone: `scrapy changes` has the rest. The most important publications come first.
_MAX_CHANGES = 50
#: White text on each has a contrast of 4.5 at least (WCAG AA).
_COLOURS = {Importance.HIGH: "#b42318", Importance.MEDIUM: "#8a5300", Importance.LOW: "#475467"}
_TEXT = "font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.45;color:#1d2939"
_SMALL = "font-family:Arial,Helvetica,sans-serif;font-size:13px;line-height:1.4;color:#475467"
_LAYOUT = {"role": "presentation", "width": "100%", "cellpadding": "0", "cellspacing": "0", "border": "0"}
_REMOVED = "background-color:#fee4e2;color:#912018;text-decoration:line-through"
_ADDED = "background-color:#d1fadf;color:#054f31;text-decoration:none"


def compose_changes(one: Subscription, found: Sequence[ChangeRow], *, where: str, now: datetime) -> AlertMessage:
    """The message that tells *found*; *where* names the ledger that it comes from."""
    shown, more = _select(found)
    title = f"[RORI] {_count(found)}"
    end = (
        f"Subscription {one.subscription_id} ({one.schedule.replace('_', ' ')}, by {sanitise_line(one.owner)}); "
        + name_rori(f"`scrapy changes unsubscribe {one.subscription_id}` ends it. ")
        + f"Sent {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC by RORI Collector; ledger: {sanitise_line(where)}"
    )
    rest = (
        f"And {format_count(more, 'change')} more: {name_rori('`scrapy changes --since DATE` lists all.')}"
        if more
        else ""
    )
    lines = [line for publication in shown for line in _text(publication)]
    body = "\n".join([*lines, *([rest, ""] if rest else []), end]) + "\n"
    return AlertMessage(title, body, _html(title, format_count(len(found), "change"), shown, rest, end))


def _select(found: Sequence[ChangeRow]) -> tuple[list[Publication], int]:
    """The publications of the message, the most important first, and how many changes are not in it."""
    shown, left = [], _MAX_CHANGES
    for publication in sorted(group_changes(found), key=lambda one: (-one.importance, -one.changes[0].points)):
        if part := publication.changes[:left]:
            shown.append(replace(publication, changes=part))
        left -= len(part)
    return shown, max(0, len(found) - _MAX_CHANGES)


def _count(found: Sequence[ChangeRow]) -> str:
    """``3 changes: 1 high, 2 low``, or what the only one is."""
    if len(found) == 1:
        return f"{Importance(found[0].importance).word}: {sanitise_line(change_sentence(found[0]))[:150]}"
    levels = (Importance.HIGH, Importance.MEDIUM, Importance.LOW)
    numbers = ((sum(change.importance == level for change in found), level.word) for level in levels)
    return f"{format_count(len(found), 'change')}: {', '.join(f'{many} {word}' for many, word in numbers if many)}"


def _text(publication: Publication) -> Iterator[str]:
    yield f"{sanitise_line(publication.title).upper()} ({publication.importance.word})"
    for change in publication.changes:
        yield f"  {Importance(change.importance).word}: {sanitise_line(change_sentence(change))}"
        yield from (f"    {line}" for line in (sanitise_line(change.title or ""), *_details(change)) if line)
    yield ""


def _details(change: ChangeRow) -> Iterator[str]:
    if reasons := ", ".join(change_reasons(change)):
        yield f"Why: {reasons}"
    effective = f"; effective {sanitise_line(change.effective)}" if change.effective else ""
    yield f"Change {change.change_id}, captured {change.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC{effective}"
    yield sanitise_line(change.url)


def _html(title: str, heading: str, shown: Sequence[Publication], rest: str, end: str) -> str:
    rows = [make.TR(make.TD(make.H1(heading, style=f"{_TEXT};font-size:18px;margin:0"), style="padding:0 0 12px"))]
    for publication in shown:
        name = make.H2(escape_one_line(publication.title), style=f"{_TEXT};margin:0")
        rows.append(make.TR(make.TD(name, style="padding:12px 0 4px")))
        rows += [_html_change(change) for change in publication.changes]
    rows += [make.TR(make.TD(text, style=f"{_SMALL};padding:12px 0 0")) for text in (rest, end) if text]
    # Outlook limits the width of tables alone, Apple Mail that of anything else.
    table = make.TABLE(*rows, style="max-width:640px", **_LAYOUT)
    page = make.TABLE(
        make.TR(make.TD(make.DIV(table, style="max-width:640px"), style="padding:16px")), bgcolor="#ffffff", **_LAYOUT
    )
    head = make.HEAD(
        make.META(charset="utf-8"),
        make.META(name="viewport", content="width=device-width, initial-scale=1"),
        make.META(name="color-scheme", content="light"),
        make.TITLE(title),
    )
    body = make.BODY(page, style="margin:0;padding:0;background-color:#ffffff")
    document: str = html.tostring(make.HTML(head, body, lang="en"), doctype="<!DOCTYPE html>", encoding="unicode")
    return document


def _html_change(change: ChangeRow) -> Any:
    level = Importance(change.importance)
    # Spaces: Outlook gives padding to cells alone.
    badge = make.SPAN(f"\xa0{level.word}\xa0", style=f"background-color:{_COLOURS[level]};color:#ffffff;font-size:12px")
    link = make.A(escape_one_line(change.title or change.url), href=change.url, style="color:#175cd3")
    lines: list[Any] = [badge, " ", link, make.BR(), *_html_sentence(change)]
    for line in _details(change):
        lines += [make.BR(), make.SPAN(line, style=_SMALL)]
    row = make.TR(
        make.TD(*lines, style=f"{_TEXT};padding:8px 0 12px;border-bottom:1px solid #d0d5dd;word-break:break-word")
    )
    row.tail = "\n"  # an empty line in the plain part, which Apprise makes of this
    return row


def _html_sentence(change: ChangeRow) -> Iterator[Any]:
    """The sentence with what was removed and added marked. The text is the same: a plain part is made of it."""
    for op, text in change_words(change):
        words = escape_one_line(text)
        if op == "=":
            yield words
        else:
            yield make.DEL(words, style=_REMOVED) if op == "-" else make.INS(words, style=_ADDED)
