"""One document: what is wrong with it, how bad that is, and where."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.auditing.audit import audit_page
from rori_spiders.corpus.auditing.findings import CODES, Code, Flag, flags_for, gate_for, make_finding
from rori_spiders.corpus.documents.document import first_sentence
from rori_spiders.runtime.redaction import Redactor
from tests.corpus.auditing.audits import GOOD, SENTENCES, codes, expected, file, findings
from tests.house.code import docs
from tests.support.cases import cases

ABOVE = 12  # lines of front matter, and the empty one


def test_audit_page_good_document_passes() -> None:
    audit = audit_page(file(), expected())
    assert (audit.findings, gate_for(audit.findings), len(audit.sizes)) == ([], "publishable", 1)


@cases(
    ("other", "code", "where"),
    [
        ({"source_url": "https://www.example.gov/other"}, "other_url", "source_url"),
        ({"doc_id": "web_00000000_escrow"}, "other_doc_id", "doc_id"),
        ({"run_id": "another"}, "other_run", "run_id"),
        ({"title": None}, "no_title", "title"),
        ({"description": None}, "no_description", "description"),
        ({"language": None}, "no_language", "language"),
        ({"language": "es"}, "other_language", "language"),
    ],
)
def test_audit_page_front_matter_problems_are_found(other: dict[str, Any], code: str, where: str) -> None:
    assert (code, where) in [(one.code, one.where) for one in findings(GOOD, **other)]


def test_audit_page_changed_file_is_found() -> None:
    for change in (("thirty days", "sixty days"), ("What a servicer owes to", "What servicers owe to")):
        audit = audit_page(file().replace(*change), expected())
        assert [one.code for one in audit.findings] == ["other_hash"] and gate_for(audit.findings) == "excluded"
    audit = audit_page(file().replace("language: en", "language: en\nurl: x"), expected())
    assert [one.code for one in audit.findings] == ["not_a_document"] and audit.print is None


LONG = " ".join([SENTENCES] * 12)


@cases(
    ("body", "found_there"),
    [
        (f"## Only\n\n{SENTENCES}", [("no_h1", "")]),
        (f"# One\n\n{SENTENCES}\n\n# Two\n\n{SENTENCES}", [("several_h1", f"line {ABOVE + 5}")]),
        (f"# One\n\n```\n# no heading\n```\n\n{SENTENCES}", []),
        (f"# One\n\n{LONG}", [("missing_h2", "")]),
        (f"# One\n\n## Two\n\n{LONG}", []),
        ("# One\n\n## Two", [("empty", "")]),
        ("# One\n\nSee the other page.", [("thin", "")]),
        ("# A\n\n" + f"## {'Very long heading, ' * 8}\n\n" * 2 + SENTENCES, [("lone_heading", f"line {ABOVE + 1}")]),
    ],
)
def test_audit_page_structure_problems_are_found(body: str, found_there: list[tuple[str, str]]) -> None:
    assert [(one.code, one.where) for one in findings(body, title="T")] == found_there


def test_audit_page_long_text_without_headings_needs_review() -> None:
    (note,) = findings(f"# One\n\n{LONG}")
    assert note.severity == "note"
    both = findings(f"# One\n\n{' '.join([LONG] * 6)}")
    assert [(one.code, one.severity) for one in both] == [("missing_h2", "review"), ("giant_section", "note")]


ROW = "| --- | --- | --- |"


@cases(
    ("table", "code"),
    [
        (f"|  |  |  |\n{ROW}\n| a | b | c |\n| d | e | f |", "table_without_titles"),
        ("| Plan | Price |\n| --- | --- |\n| Starter | $5 |\n| Team | $9 |", "table_for_prose"),
        (f"| County | One unit | Two |\n{ROW}\n| Polk | $5 | $6 |", "table_for_prose"),
        (f"| County | One unit | Two |\n{ROW}\n| Polk | $5 | $6 |\n| Lee | $7 | $8 |", None),
        (f"```\n|  |  |  |\n{ROW}\n| a | b | c |\n```", None),
    ],
)
def test_audit_page_table_problems_are_found(table: str, code: str | None) -> None:
    assert codes(f"{GOOD}\n{table}\n") == ([code] if code else [])


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Official Website", "# Page Not Found\n\nThe page you are looking for is no longer available."),
        (
            "Acme",
            "# 404\\. The page/URL requested wasn't found on this site.\n\n## News\n\nSubscribe below.",
        ),
        ("Just a moment...", "Checking your browser before accessing example.gov. Please enable cookies."),
        ("Maintenance", "# We'll be back soon\n\nThis site is down for scheduled maintenance. Please try again later."),
    ],
)
def test_audit_page_error_pages_and_walls_are_found(title: str, body: str) -> None:
    audit = audit_page(file(body, title=title), expected())
    assert "error_page" in [one.code for one in audit.findings] and gate_for(audit.findings) != "publishable"


def test_audit_page_error_by_several_rules_blocks_by_one_needs_review() -> None:
    both = "# Page Not Found\n\nThe page you are looking for is no longer available or was moved."
    assert ("error_page", "blocks") in [(one.code, one.severity) for one in findings(both)]
    one_rule = findings("# Page not found\n\nShort text about it.")
    assert ("error_page", "review") in [(one.code, one.severity) for one in one_rule]
    assert findings(f"# Resolving errors\n\n## Page not found in the file\n\n{SENTENCES}") == []


def test_audit_page_forms_are_found() -> None:
    labels = "First Name:*\n\nLast Name:*\n\n- E-mail address (required)\n\nPhone Number\n\nZip Code\n\nSubmit"
    assert "form_page" in codes(f"# Contact us\n\n{labels}")
    assert "form_page" not in codes(f"{GOOD}\n{labels}\n" + f"\n{SENTENCES}\n" * 8)


SPANISH = (
    "El prestamista entregará al prestatario una declaración de los costos que se pagan en la liquidación, y la"
    " corregirá dentro de tres días hábiles cuando alguno de ellos resulte distinto de lo dicho, salvo que el"
    " prestatario esté de acuerdo. La declaración nombra al prestamista, al prestatario y la propiedad."
)


def test_audit_page_other_language_is_found() -> None:
    assert codes(f"# Depósito\n\n{SPANISH}", language="es") == ["non_english"]
    assert codes(f"# Depósito\n\n{SPANISH}") == ["non_english", "other_language"]
    assert codes(f"{GOOD}\n> {SPANISH}\n\n{SENTENCES}\n\n{SENTENCES}") == [], "a page that quotes another language"
    latin = "The doctrine of res judicata, and a writ of certiorari nunc pro tunc, bar it in limine. " * 6
    assert codes(f"# Held\n\n{latin}") == []
    assert codes(f"# Depósito\n\n{SENTENCES}\n\n" + f"{SPANISH}\n\n" * 90).count("non_english") == 1, "after a preface"


# Put together here, so that nobody who looks for keys finds this file.
KEYS = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "a1B2" * 9,
    "xoxb-" + "123456789012-abcdef",
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NSJ9.abcdefghijkl",
    "https://user:secret" + "@example.gov/x",
    "https://example.gov/x?api_key" + "=abcdef123456",
]


@cases("key", KEYS)
def test_audit_page_key_is_found_and_not_repeated(key: str) -> None:
    one, *_ = findings(f"{GOOD}\nUse {key} here.\n")
    assert (one.code, one.severity, one.where) == ("credential", "blocks", f"line {ABOVE + 7}")
    assert key not in one.says


def test_audit_page_secret_of_installation_is_found() -> None:
    secrets = Redactor(["s3cr3t-Of-Ours"])
    audit = audit_page(file(f"{GOOD}\nThe word s3cr3t-Of-Ours.\n"), expected(), secrets=secrets)
    assert [one.code for one in audit.findings] == ["credential"]


@cases(
    ("text", "found_there"),
    [
        ("His number is 219-43-8765.", ["social_security_number"]),
        ("SSN 219 43 8765", ["social_security_number"]),
        ("Lots 219 43 8765 of the plat", []),
        ("such as 123-45-6789, or 987-65-4321, 000-12-3456, 219-43-0000", []),
        ("Docket 2024-219-43-8765, Part 219-43-87651", []),
        ("Call (800) 555-0100 or write to help@example.gov.", ["contact_details"]),
        ("12 CFR 1024.17, 79 FR 12345, 1-2-3", []),
    ],
)
def test_audit_page_personal_data_is_found(text: str, found_there: list[str]) -> None:
    assert codes(f"{GOOD}\n{text}\n") == found_there


def test_audit_page_contacts_are_counted_persons_apart_from_desks() -> None:
    mail = "info@example.gov, jane.doe@example.gov, public.affairs@example.gov, JANE.DOE@example.gov"
    (one,) = findings(f"{GOOD}\n{mail}, 202-555-0100 and (202) 555-0100\n")
    assert one.says == "e-mail addresses: 3 (1 probably of a person); telephone numbers: 1; this line has the first"
    assert (one.severity, one.where) == ("note", f"line {ABOVE + 7}")


def test_audit_page_removed_text_is_considered() -> None:
    removed = ["Was this page helpful to you?\n\nSubscribe"]
    audit = audit_page(file(f"{GOOD}\nWas this page *helpful* to you\n"), expected(), removed=removed)
    assert [(one.code, one.where) for one in audit.findings] == [("boilerplate_back", f"line {ABOVE + 7}")]
    assert audit_page(file(), expected(), removed=removed).findings == []


@given(some.text(max_size=300))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_audit_page_any_file_is_audited(text: str) -> None:
    assert audit_page(text, expected()).findings
    audit_page(file(text.encode("utf-8", "replace").decode()), expected())


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["a", "-eyJabcdefghijk", "[", "[a](", "A. ", "| ", "1-", "a@a.", "# ", "`", "(", "~~~\n"]
)
def test_audit_page_adversarial_text_takes_linear_time(piece: str) -> None:
    audit_page(file("# A\n\n" + piece * (30_000 // len(piece))), expected())
    first_sentence(piece * (200_000 // len(piece)))


def test_audit_page_many_findings_of_a_kind_are_counted() -> None:
    told = [one for one in findings("# One\n\n" + f"# More\n\n{SENTENCES}\n\n" * 50) if one.code == "several_h1"]
    assert len(told) == 20
    assert told[0].says == "another heading of level 1: More (and 30 more of this kind)"


def test_audit_codes_table_in_docs_is_current() -> None:
    assert set(CODES) == set(get_args(Code))
    assert {meaning.flag for meaning in CODES.values()} == set(get_args(Flag))
    assert flags_for(
        [make_finding("thin", "", "x"), make_finding("no_h1", 3, "x"), make_finding("empty", "", "x")]
    ) == ["thin", "structure"]
    shown = docs("corpus.md")
    for code, meaning in CODES.items():
        assert f"| `{code}` | `{meaning.flag}` | {meaning.severity} | {meaning.means} |" in shown, code
