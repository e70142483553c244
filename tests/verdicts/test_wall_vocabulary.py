"""Walls by what they are made of: words of a failure or of signing in, and hardly another."""

from __future__ import annotations

from rori_spiders.verdicts.wall_language import read_main_text, verdict_from_language
from tests.support.cases import cases

# None of these is a phrase of a rule; the words and the shape are.
WALLS = [
    ("soft_404", "# Example\n\nError, page not found"),
    ("soft_404", "# Example\n\nYou are requesting a page that does not exist!"),
    ("soft_404", "# Portal\n\nSuch a resource was never found on the host, or has been deleted since."),
    ("server_error", "# Unreachable host\n\nThe remote host of this proxy unexpectedly closed its connection."),
    ("denied", "# Blocked\n\nThe policy of this network blocks the requested address."),
    # What a server says of a request, as a site with a layout of its own shows it.
    ("server_error", "# Example\n\nThe precondition of the request for this URL failed positive evaluation."),
    ("server_error", "# Example\n\nThe server does not support the media type transmitted in the request."),
    ("server_error", "# Example\n\nThis request has a body that is too large for our server."),
    ("server_error", "# Example\n\nA request by this method requires a valid Content-Length header."),
    ("server_error", "# Example\n\nThe URI is too long\n\n© Department of Examples. All rights reserved."),
    (
        "server_error",
        "| **Menu**<br>[Grants](/a)<br>[Jobs](/b)<br>[Offices](/c)<br>[Map](/d)<br>[Shop](/e) | An invalid response. |",
    ),
]
INNOCENT = [
    "# Lost or missing documents\n\nIf a deed cannot be found, the recorder copies it. Files were moved in May.",
    "# Locked accounts\n\nCall the registrar between 8 and 5 if your account is locked.",
    "# Lost and found\n\nLost property is kept at the main desk for ninety days.",
    "# Report a broken link\n\nTell us the address of the page that was not found.",
    "# Find a document\n\nSearch the files of this system for a document by its name or location.",
    "# Order to deny access to sealed file\n\nAccess to the sealed file is denied while the trial goes on.",
    "# Website accessibility\n\nIf you cannot use a page, we will give you the information in another form.",
    "# Browser support\n\nThe site supports new browsers. Older browsers are not supported and may not display pages.",
    "# Service outage map\n\nThere are no outages at this time. Report an outage by telephone.",
    "# Error correction requests\n\nTo correct an error, send a request to the registrar. State the error.",
    "# Domain names\n\nA domain must be requested by an official. Requests that are incomplete are rejected.",
    "# Supported file types\n\nThe portal accepts files. Files must not exceed 25 MB. Other types are not supported.",
    "# Public records requests\n\nA request that is too large may be narrowed. The custodian sends a response.",
    "# Error 12029\n\nThe filing service rejects drawings without numbers. Number every sheet of your drawings.",
]


@cases(("kind", "markdown"), WALLS, ids=range(len(WALLS)))
def test_verdict_from_vocabulary_page_made_of_words_of_failure_is_wall(kind: str, markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=False)
    assert verdict is not None
    assert verdict.kind == kind


@cases("markdown", INNOCENT, ids=range(len(INNOCENT)))
def test_verdict_from_vocabulary_page_with_other_words_is_none(markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=False)
    assert verdict is None or verdict.is_doubtful


def test_verdict_from_vocabulary_form_among_menus_is_login_wall_and_among_sentences_is_not() -> None:
    menu = "".join(f"- [Topic {number}](/{number})\n" for number in range(12))
    form = f"# Example\n\n{menu}\nPlease enter a correct username and password.\n\nUsername\n\nPassword\n"
    verdict = verdict_from_language(read_main_text(form, "Example"), has_form=True)
    assert verdict is not None
    assert verdict.kind == "login_wall"
    beside = "\nThe docks open at six, and trucks wait at the northern gate. The crane takes nine tons.\n" * 4
    assert verdict_from_language(read_main_text(form + beside, "Example"), has_form=True) is None


def test_verdict_from_vocabulary_page_as_short_as_ever_is_none() -> None:
    main = read_main_text("# Example\n\nError, page not found", None)
    assert main is not None
    assert verdict_from_language(main, has_form=False, last_good_chars=main.chars) is None


def test_verdict_from_vocabulary_status_above_long_advice_is_wall_and_above_a_text_about_it_is_not() -> None:
    advice = "The file of users is read once at the start, and has a line for each role of the manager. " * 12
    wall = f"# 403 Access Denied\n\nYou are not authorized to view this page.\n\n{advice}"
    verdict = verdict_from_language(read_main_text(wall, "403 Access Denied"), has_form=False)
    assert verdict is not None
    assert verdict.kind == "denied"
    manual = f"# 403 Forbidden\n\nA server sends this status where it knows who asks and refuses.\n\n{advice}"
    assert verdict_from_language(read_main_text(manual, "403 Forbidden"), has_form=False) is None
