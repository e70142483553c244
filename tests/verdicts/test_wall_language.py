"""Walls by what their few sentences say, and short pages that only speak of such things."""

from __future__ import annotations

from rori_spiders.verdicts.wall_language import read_main_text, verdict_from_language
from tests.support.cases import cases

WALLS = [
    ("soft_404", "# Uh-oh\n\nThe page you want isn't here anymore. Go to the home page or use the site map."),
    ("soft_404", "### Hm\n\nYou followed a [link](/x) to a document that is no longer on our website."),
    ("maintenance", "# Planned outage\n\nThe online library is offline this weekend. Please come back on Monday."),
    ("maintenance", "# Upgrade\n\nOur website is being upgraded. Thank you for your patience."),
    ("redirect_stub", "# New home\n\nThis page has moved. Follow [this link](https://new.example.gov/)."),
    ("login_wall", "# Session\n\nYour session has expired. Please log in again to continue."),
    ("login_wall", "# Guide\n\nThis guide is available to subscribers only. Log in or subscribe to read it."),
    ("consent_wall", "# Privacy\n\nPlease choose your cookie settings to view this page."),
    ("consent_wall", "# License\n\nClick Accept if you agree to the license agreement for these codes."),
    ("denied", "# Notice\n\nYour request was identified as a potential threat. Support ID: 81."),
    ("rate_limited", "# Slow\n\nToo many searches came from your computer. Wait a few minutes."),
    ("captcha", "# One step\n\nShow us that you are not a robot to open the page."),
    ("server_error", "# Error\n\nSomething went wrong while your request was processed. It has been logged."),
    ("server_error", "# Oh my\n\nSomething has gone badly wrong. Back to homepage"),
    ("age_wall", "# Age\n\nYou must be 21 or older to enter this site."),
]
INNOCENT = [
    "# Cookie policy\n\nWe use cookies to keep your place in a form. You may reject them, and continue.",
    "# Password\n\nChoose Forgot password on the sign-in page. We send a link that lets you in.",
    "# Notice\n\nThe Board's office moved on May 1 to 40 Capitol Avenue. Mail filings to the new address.",
    "# Moved text\n\nThe guidance of chapter 5 is now in chapter 7 of the handbook.",
    "# Sealed records\n\nA page that has been removed shall be kept. Access is restricted to the parties.",
    "# Elevator\n\nThe east elevator is out of service. Use the west elevator.",
    "# Outage\n\nBecause of the outage of the system, filings due on April 12 are timely on April 15.",
    "# Appendix\n\n[Reserved]",
    "# Order\n\nThe request for access is DENIED. So ordered.",
    "# Search\n\nSearch by docket number. Put phrases in quotation marks.",
    "# Broken links: how to report one\n\nIf a link leads to a page that is not found, tell the webmaster.",
]


@cases(("kind", "markdown"), WALLS, ids=range(len(WALLS)))
def test_verdict_from_language_names_the_kind_of_a_wall(kind: str, markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=False)
    assert verdict is not None
    assert verdict.kind == kind


def test_verdict_from_language_topic_behind_colon_is_no_wall() -> None:
    main = read_main_text("# When we refuse a record\n\nThe custodian tells you why.", "Access denied: when we refuse")
    assert verdict_from_language(main, has_form=False) is None


@cases("markdown", INNOCENT, ids=range(len(INNOCENT)))
def test_verdict_from_language_leaves_pages_that_speak_of_walls(markdown: str) -> None:
    assert verdict_from_language(read_main_text(markdown, None), has_form=False) is None


def test_verdict_from_language_password_form_with_little_text_is_login_wall() -> None:
    main = read_main_text("# Members\n\nEnter your details.", None)
    assert verdict_from_language(main, has_form=False) is None
    verdict = verdict_from_language(main, has_form=True)
    assert verdict is not None
    assert verdict.kind == "login_wall"


def test_verdict_from_language_long_page_is_no_wall() -> None:
    text = "The page you want isn't here anymore. Please try the search. " + "The office opens at nine. " * 40
    assert verdict_from_language(read_main_text(text, None), has_form=False) is None


def test_verdict_from_language_one_sign_alone_is_doubt() -> None:
    main = read_main_text("### The old page of permits isn't available\n\nThe bureau prints permits on paper.", None)
    verdict = verdict_from_language(main, has_form=False)
    assert verdict is not None
    assert (verdict.kind, verdict.is_doubtful, verdict.confidence) == ("content", True, 0.5)


def test_verdict_from_language_history_decides_a_doubt() -> None:
    main = read_main_text(
        "### Notice\n\n#### The filing system of the county is offline\n\nCall 555-0102 for the status of a loan.", None
    )
    doubt, always, longer = (
        verdict_from_language(main, has_form=False, last_good_chars=size) for size in (None, 100, 5000)
    )
    assert doubt is not None
    assert doubt.is_doubtful
    assert always is None  # the page has always been as short
    assert longer is not None
    assert longer.kind == "maintenance"


@cases(
    ("markdown", "kind", "has_form"),
    [
        ("# Forgot your password?\n\nJust enter your email address below.", "login_wall", False),
        ("## Check your inbox\n\nThe link is valid for ten minutes.", "login_wall", False),
        ("500\n\n# Oops.. You just found an error page..\n\nYour request contains bad syntax.", "server_error", False),
        ("# Error 503\n\nWe are sorry.", "maintenance", False),
        ("# 403\n\nAccess is denied.", "denied", False),
        ("# 405\n\n## Method Not Allowed\n\nUse another method.", "server_error", False),
        ("# 501 Not Implemented\n\nAcme.", "server_error", False),
        ("# Web server is down\n\nAcme.", "server_error", False),
        ("# Office of Forms\n\n(404) Not found", "soft_404", False),
        ("# Office of Forms\n\n502 - Bad Gateway", "server_error", False),
        ("# 4 0 4\n\nLooks like you are lost in space.", "soft_404", False),
        ("# Oops!\n\nSomething broke on our side. Our engineers are on it.", "server_error", False),
        ("# Acme\n\nWe will notify you.\n\n12 Days 08 Hours 33 Minutes 10 Seconds", "maintenance", False),
        ("# We're launching soon\n\nAcme.", "maintenance", False),
        ("# Choose your identity provider\n\n[A](/a) [B](/b)", "login_wall", False),
        ("# Admin login\n\nWelcome to the panel.", "login_wall", True),
        ("This setup is for testing and verification only.", "login_wall", True),
        ("You forgot your password? Here you can easily retrieve a new one.", "login_wall", False),
        (
            "## Check your inbox\n\nWe've sent you a magic link.\n\n## Theme\n\n" + "Choose the colours of it. " * 20,
            "login_wall",
            False,
        ),
    ],
)
def test_verdict_from_language_short_page_headed_as_wall_is_one(markdown: str, kind: str, *, has_form: bool) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=has_form)
    assert verdict is not None
    assert verdict.kind == kind


@cases(
    "markdown",
    [
        "# Route 404\n\nThe bridge of road 404 is closed for the winter.",
        "# Apartment 500\n\nRents start in May.",
        "# Payment required\n\nSend the form with a check to the clerk.",
        "# Response times\n\nDays, hours and minutes are counted from the call.",
        "# Opening soon\n\nThe grant opens on May 1.",
        "# Office of Forms\n\nNot found",
        "# `net.client.ConnectionRefused`\n\nAn exception that is raised when the server refused the connection.",
        "# Driver\n\nThis allows to continue a task if its work was stopped.\n\nCreative Commons 3.0 License",
        "# Passwords\n\nForgot your password? " + "A teller of the bank hands out a new one at the counter. " * 8,
        "# Check your inbox\n\n" + "Notices of the transfer are sent by mail within fifteen days. " * 9,
        "## Plugin\n\nTextile renders your data directory. It is enabled by default, and to open it use a link.",
    ],
)
def test_verdict_from_language_number_or_data_of_something_else_is_none(markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=False)
    assert verdict is None or verdict.is_content


def test_verdict_from_language_number_above_apology_is_error_whatever_its_shell_says() -> None:
    shell = "\n\n".join(f"Choose the color {number} for your app." for number in range(14))
    verdict = verdict_from_language(
        read_main_text(f"### Notices\n\n# 503\n\nBe right back.\n\n{shell}", None), has_form=False
    )
    assert verdict is not None
    assert verdict.kind == "maintenance"
    of_law = f"# 404\n\nThe lender keeps each record for three years.\n\n{shell}"
    assert verdict_from_language(read_main_text(of_law, None), has_form=False) is None


_OFFICES = "\n\n".join(f"Region {n}: {n} Capitol Street, open 8 to 5, telephone 555-01{n:02}" for n in range(20))


@cases(
    ("kind", "markdown", "title"),
    [
        (
            "soft_404",
            "# We couldn't find that page\n\nIt may have been retired. Try the search.\n\n## Offices\n\n{}",
            "",
        ),
        ("soft_404", "# Record not found\n\nYou may not see it.\n\n## Offices\n\n{}", ""),
        ("server_error", "# Technical difficulties\n\nOur engineers know of it.\n\n## Offices\n\n{}", ""),
        ("soft_404", "Check the address.\n\n## Topics\n\nTaxes.\n\n## Offices\n\n{}", "Page not found | Agency"),
        ("login_wall", "# Your session has ended\n\nStart again.\n\n## Offices\n\n{}", ""),
    ],
)
def test_verdict_from_language_first_section_of_wall_decides_whatever_follows(
    kind: str, markdown: str, title: str
) -> None:
    verdict = verdict_from_language(read_main_text(markdown.format(_OFFICES), title or None), has_form=False)
    assert verdict is not None
    assert verdict.kind == kind


@cases(
    "markdown",
    [
        "# Troubleshooting\n\nEach message and what to do.\n\n## Page not found\n\nTry the search.\n\n## Offices\n\n{}",
        "# Page not found\n\nTry the search.\n\n# Access denied\n\nYou may not see it. Contact us.\n\n## Offices\n\n{}",
        "# Offices\n\nThe page you want is below.\n\n## List\n\n{}",
    ],
)
def test_verdict_from_language_list_of_messages_is_content(markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown.format(_OFFICES), None), has_form=False)
    assert verdict is None or verdict.is_content


def test_verdict_from_language_form_beside_text_of_something_else_is_content() -> None:
    text = "Fees rise on July 1 for all brokers. Renew before then to pay the rate of last year. Appraisers pay less."
    main = read_main_text(f"# Licence rates\n\n{text}\n\n### Member login\n\n[Forgot password?](/f)", None)
    assert verdict_from_language(main, has_form=True) is None
    warning = "Users of this system may be monitored. Access is for authorized users only. " * 9
    door = read_main_text(f"# Taxpayer Access\n\n## Welcome\n\nManage your accounts.\n\n{warning}", None)
    assert verdict_from_language(door, has_form=False) is None
    verdict = verdict_from_language(door, has_form=True)
    assert verdict is not None
    assert (verdict.kind, verdict.rules[0].rule) == ("login_wall", "form-of-access")


def test_verdict_from_language_name_asked_for_under_sign_in_is_login_wall() -> None:
    main = read_main_text("# Sign in\n\nType the address of your agency.", None)
    assert verdict_from_language(main, has_form=False) is None
    verdict = verdict_from_language(main, has_form=False, asks_name=True)
    assert verdict is not None
    assert verdict.kind == "login_wall"


def test_verdict_from_language_sign_in_box_above_a_text_is_content() -> None:
    rule = "A servicer answers within five days when a borrower asks about the balance of an escrow account.\n\n"
    chapters = "".join(f"## Chapter {number}\n\n{rule.replace('account', 'fund') * 5}" for number in (1, 2))
    box = "## Member login\n\nUser name Password\n\n"
    verdict = verdict_from_language(read_main_text(box + chapters, title="Handbook"), has_form=True)
    assert verdict is None or verdict.is_content
    alone = verdict_from_language(read_main_text(box, title="Handbook"), has_form=True)
    assert alone is not None and alone.kind == "login_wall"
