"""What changes by itself goes; what may be law stays. Two sides of each rule."""

from __future__ import annotations

from rori_spiders.content.convert import convert, digest
from rori_spiders.content.html.volatile import rule_covering
from tests.content.pages import URL
from tests.support.cases import cases

LAW = "<p>The servicer shall respond within thirty days of receipt of the notice from the borrower.</p>"


@cases(
    ("line", "rule"),
    [
        ("Current time: 10:32:05 PM", "clock"),
        ("Current Date/Time: Friday, November 21, 2026 10:32 AM EST", "clock"),
        ("Today is Friday, November 21, 2026", "clock"),
        ("Today's date: 11/21/2026", "clock"),
        ("Page last updated: September 15, 2024", "page_stamp"),
        ("Page last reviewed or updated: 21-Nov-2025", "page_stamp"),
        ("This page was last modified on 3 March 2024, at 10:15.", "page_stamp"),
        ("Content current as of: 12/13/2017", "page_stamp"),
        ("Date modified: 2024-05-06", "page_stamp"),
        ("Last updated July 2024", "foot_stamp"),
        ("Last Reviewed: 2024-01-05", "foot_stamp"),
        ("3 hours ago", "relative_time"),
        ("Updated 2 days ago", "relative_time"),
        ("You are visitor number 104,233", "visitor_counter"),
        ("Visitors since 1999: 1234", "visitor_counter"),
        ("1,234 page views", "visitor_counter"),
        ("Number of views (4099)", "visitor_counter"),
        ("Page generated in 0.123 seconds", "server_trace"),
        ("Request ID: 7f3a-99b2-11", "server_trace"),
        ("csrf_token=Zm9vYmFyYmF6", "nonce"),
    ],
)
def test_volatile_rule_covers_its_line(line: str, rule: str) -> None:
    assert rule_covering(line, at_foot=True) == rule


@cases(
    "line",
    [
        "Effective date: July 1, 2024",
        "[80 FR 12345, March 1, 2015]",
        "Last amended: July 1, 2024",
        "Hearing date and time: May 3, 2024 10:00 AM",
        "Comments due: 60 days after publication",
        "Dated: March 1, 2015.",
        "Updated guidance was published on March 1, 2015, and applies to each lender.",
        "Compliance date: page 4",
        "Current time limits: 30 days",
        "Last updated July 2024 to include § 1024.41",
        "Revised: the fee is $1,234",
        "Section 4 (July 1, 2024)",
        "Views of the Secretary",
        "Session laws 2024",
        "July 1, 2024",
        "10:00 AM",
        "1,234",
        "Published in the Federal Register on March 1, 2015",
        "Order modified: July 1, 2024",
        "Content: July 1, 2024",
    ],
)
def test_volatile_rules_cover_no_law(line: str) -> None:
    assert rule_covering(line, at_foot=True) is None


def test_volatile_ambiguous_stamp_is_removed_only_at_foot() -> None:
    stamp = "<p>Last updated: July 1, 2024</p>"
    at_foot = convert(f"<main><h1>T</h1>{LAW * 9}{stamp}</main>".encode(), url=URL)
    assert "Last updated" not in at_foot.markdown
    assert at_foot.removed == ("foot_stamp",)
    at_head = convert(f"<main><h1>T</h1>{stamp}{LAW * 9}</main>".encode(), url=URL)
    assert "Last updated: July 1, 2024" in at_head.markdown
    assert at_head.removed == ()


@cases(
    ("noise", "other", "rule"),
    [
        ("<p>Current time: 10:32:05 PM</p>", "<p>Current time: 11:00:00 AM</p>", "clock"),
        (
            "<div><strong>Page last updated:</strong> <time>May 1, 2024</time></div>",
            "<div><strong>Page last updated:</strong> <time>June 9, 2025</time></div>",
            "page_stamp",
        ),
        (
            "<p>text<br>Page last updated: May 1, 2024</p>",
            "<p>text<br>Page last updated: May 2, 2024</p>",
            "page_stamp",
        ),
        ("<div>Visitors: 104,233</div>", "<div>Visitors: 104,299</div>", "visitor_counter"),
        ("<span>3 minutes ago</span>", "<span>2 hours ago</span>", "relative_time"),
        ("<ul><li>2 hours ago</ul>", "<ul><li>3 hours ago</ul>", "relative_time"),
        ("<p>By A | <span>2 days ago</span> | B</p>", "<p>By A | <span>3 days ago</span> | B</p>", "relative_time"),
        ("<p>By A <time>2 days ago</time></p>", "<p>By A <time>3 days ago</time></p>", "relative_time"),
        ("<p><a>A</a> <span>2 days ago</span></p>", "<p><a>A</a> <span>3 days ago</span></p>", "relative_time"),
        ("<table><tr><td>Visitors: 12</table>", "<table><tr><td>Visitors: 13</table>", "visitor_counter"),
        ("<div>Request ID: abc-123-def</div>", "<div>Request ID: ffe-999-aaa</div>", "server_trace"),
        (
            '<div role="alert">Offices close early today</div>',
            '<div role="alert">Offices reopen</div>',
            "rotating_banner",
        ),
        (
            '<div class="carousel slide" data-ride="carousel"><p>Welcome</p></div>',
            '<div class="carousel slide" data-ride="carousel"><p>Visit us</p></div>',
            "rotating_banner",
        ),
        (
            '<form><input type="hidden" name="csrf_token" value="a1"></form>',
            '<form><input type="hidden" name="csrf_token" value="b2"></form>',
            "form_token",
        ),
        (
            '<a href="/x;jsessionid=AAAA1111?a=1">x</a>',
            '<a href="/x;jsessionid=BBBB2222?a=1">x</a>',
            "session_link",
        ),
        (
            '<a href="/x?a=1&amp;PHPSESSID=abcdef12">x</a>',
            '<a href="/x?a=1&amp;PHPSESSID=99999999">x</a>',
            "session_link",
        ),
    ],
)
def test_volatile_two_fetches_differing_by_noise_are_one_text(noise: str, other: str, rule: str) -> None:
    first, second = (digest(f"<main><h1>T</h1>{LAW}{line}{LAW}</main>".encode(), url=URL) for line in (noise, other))
    assert first.markdown == second.markdown
    assert first.section_hashes == second.section_hashes
    assert rule in first.hints.removed


@cases(
    "block",
    [
        '<div role="alert">The rule is effective July 1, 2024.</div>',
        f'<div role="alert">{"This notice tells each borrower of the rights that they have. " * 12}</div>',
        "<table><tr><th>Last updated</th><th>Rate</th></tr><tr><td>July 1, 2024</td><td>5</td></tr></table>",
        '<a href="/view?sid=4&amp;section=1024">Section</a>',
        "<p>Effective date: July 1, 2024</p>",
        "<p>The look-back began <b>3 days ago</b> or more.</p>",
        "<p>The form was <b>last updated January 1, 2024</b> by the agency.</p>",
        "<p>A rate locked <b>60 days ago</b>.</p>",
        "<p>A lodging house has <i>at most</i> 12 guests</p>",
        "<table><tr><th>Item</th><th>Limit</th></tr><tr><td>Guests</td><td>12 guests</td></tr></table>",
        "<table><tr><th>Item</th><th>Limit</th></tr><tr><td>Look-back</td><td><p>60 days ago</p></td></tr></table>",
        "<table><tr><td>Guests</td><td>12 guests</td></tr><tr><td>Homes</td><td>4 visits</td></tr></table>",
        "<ul><li>30 days ago</li><li>500 visits</li></ul>",
        "<dl><dt>Look-back</dt><dd>12 days ago</dd></dl>",
        '<div class="alert alert-info" role="alert">The fee is $5, not $6.</div>',
        '<div role="alert">This form is no longer taken.</div>',
        '<div role="alert">Each lender keeps a copy.</div>',
    ],
)
def test_volatile_law_is_never_removed(block: str) -> None:
    page = convert(f"<main><h1>T</h1>{LAW}{block}</main>".encode(), url=URL)
    assert page.removed == ()


def test_volatile_day_of_removed_stamp_is_stored_as_metadata() -> None:
    page = convert(
        f"<main><h1>T</h1>{LAW}</main><footer>Page last updated: September 15, 2024</footer>".encode(), url=URL
    )
    assert page.metadata.modified_date == "2024-09-15"
