"""A rule in three editions: a fee in a table, a date and a word change, a paragraph moves, a section goes."""

from __future__ import annotations

from tests.support.pages import page

_MOVED = "A creditor shall keep a copy of each disclosure that it has made under this part for two full years."
_LAW = (
    "A servicer shall credit a periodic payment as of the date of receipt, as 12 CFR 1026.36(c) and 15 U.S.C. 1639f "
    "require. Nothing in this section limits what a State asks of a servicer beyond this part, and nothing in it "
    "relieves a servicer of what it owes under another part of this chapter. A payment that reaches a servicer at the "
    "address that it has named, in a form that it takes, is received on the day on which it comes in, whether or not "
    "it is counted on that day. A servicer that names no address takes payments wherever it does business."
)
_HEAD = "<tr><th>Fee</th><th>At most</th><th>Falls due</th></tr>"


def rule(edition: int) -> str:
    """The page of `/reg/1024/2`, in edition 1, 2 or 3."""
    fee, day, word = ("25", "March 1, 2026", "shall") if edition == 1 else ("30", "June 1, 2026", "may")
    moved = f"<p>{_MOVED}</p>"
    rows = f"<tr><td>Late payment</td><td>${fee}</td><td>15 days</td></tr><tr><td>Copy</td><td>$5</td><td>-</td></tr>"
    if edition > 1:
        rows += "<tr><td>Returned check</td><td>$15</td><td>5 days</td></tr>"
    parts = [
        "<h2>Fees</h2>" + (moved if edition == 1 else ""),
        f"<p>{_LAW} It applies from {day}. A servicer {word} send a notice.</p><table>{_HEAD}{rows}</table>",
        f"<h2>Records</h2><p>{_LAW}</p>" + ("" if edition == 1 else moved),
        "" if edition == 3 else "<h2>Transition</h2><p>What was begun under the former rule is ended under it.</p>",
    ]
    return page("Section 2").replace("<ul></ul>", "".join(parts))
