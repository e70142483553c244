"""State codes, decisions and laws in fresh forms: `python -m benchmarks.unseen.law_forms FOLDER`.

Three kinds of labels that the rules were not made on when they were first scored. *Forms*: each state's codes as the
Bluebook's table T1, the state itself and free sites cite them (state_forms.tsv, state_lines.tsv), composed with signs,
inverted ("Section N, Florida Statutes") and set in sentences. *Decisions*: the examples of reporters-db, one reporter
in two sealed. *Families*: the examples of its laws (statutes, rules, registers, laws of a session), the same way.
*Laws*: what eyecite's tests expect of statutes, all sealed. *Spellings*: each spelling of a reporter that
reporters-db knows, in a sentence, with its edition. *Found*: citations as people wrote them in public files, and the
examples of another finder's grammar (forms_found.tsv), all read, so for development alone. Forms of the states A to M
are for development, the others sealed; one author wrote forms and rules, so they flatter.
"""

from __future__ import annotations

import argparse
import ast
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reporters_db import EDITIONS, LAWS, REPORTERS, VARIATIONS_ONLY

from benchmarks.unseen.citations import folded
from benchmarks.unseen.packages import folder_of
from rori_spiders.content.citations import find

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = Path(__file__).parent
_SENTENCES = (
    "{}", "A lender must comply with {} before it forecloses.", "See {}.", "The notice (required by {}) is mailed.",
    "Authority: {}; and other laws.",
)  # fmt: skip


class Form(NamedTuple):
    """A text with one citation; ``number`` is folded and must end the canonical form of one that is found."""

    kind: str
    text: str
    number: str
    is_sealed: bool
    state: str = ""


def in_sentence(citation: str) -> str:
    return _SENTENCES[zlib.crc32(citation.encode()) % len(_SENTENCES)].format(citation)


def statute_forms() -> Iterator[Form]:
    for state, bluebook, official, site, initials, numbers in _rows("state_forms.tsv"):
        if bluebook == "-":
            continue
        names = [] if initials == "-" else [name.replace("#", " ") for name in initials.split()]
        for number in numbers.split():
            forms = [
                f"{bluebook} § {number}", f"{bluebook} §{number}", f"{bluebook} {number}", f"{official} § {number}",
                f"{official}, Section {number}", f"{official} section {number}", f"{official} {number}",
                f"Section {number}, {official}", f"section {number} of the {official}", f"§ {number}, {bluebook}",
                f"{site} § {number} (2023)", f"{site} Section {number}",
            ]  # fmt: skip
            forms += [form for name in names for form in (f"{name} {number}", f"{name} § {number}")]
            for form in dict.fromkeys(forms):
                yield Form("statute", in_sentence(form), folded(number), state > "M~")


def code_forms() -> Iterator[Form]:
    for state, number, citation in _rows("state_lines.tsv"):
        yield Form("code", in_sentence(citation), folded(number), state > "M~")


def _rows(name: str) -> Iterator[list[str]]:
    for line in (_HERE / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def decisions() -> Iterator[Form]:
    for name, reporters in sorted(REPORTERS.items()):
        for reporter in reporters:
            for example in reporter.get("examples", ()):
                yield Form("decision", example, folded(example), zlib.crc32(name.encode()) % 2 == 1)


def families() -> Iterator[Form]:
    for name, laws_of_name in sorted(LAWS.items()):
        for law in laws_of_name:
            for example in law["examples"]:
                yield Form("family", example, folded(example), zlib.crc32(name.encode()) % 2 == 1)


def spellings() -> Iterator[Form]:
    for spelling, editions in ({name: [name] for name in EDITIONS} | dict(VARIATIONS_ONLY)).items():
        if len(editions) == 1:
            text = f"See Doe v. Roe, 12 {spelling} 345 (1985)."
            yield Form("spelling", text, folded(f"12 {editions[0]} 345"), zlib.crc32(spelling.encode()) % 2 == 1)


def found_forms() -> Iterator[Form]:
    for text, number, state in _rows("../citation_passages/forms_found.tsv"):
        yield Form("found", text, folded(number), is_sealed=False, state=state.strip("-"))


def laws(folder: Path) -> Iterator[Form]:
    """The statutes that eyecite's tests of its finder expect, by the words that they stand in."""
    source = next(folder.rglob("tests/test_FindTest.py")).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Tuple) and len(node.elts) > 1 and isinstance(node.elts[1], ast.List)):
            continue
        text = node.elts[0]
        for call in node.elts[1].elts:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "law_citation":
                expected = call.args[0] if call.args else None
                if isinstance(text, ast.Constant) and isinstance(expected, ast.Constant):
                    yield Form("law", str(text.value), str(expected.value), True)


def is_found(form: Form) -> bool:
    found = find(form.text, {"state": form.state} if form.state else None)
    if form.kind == "spelling":
        return any(folded(one.canonical) == form.number for one in found)
    if form.kind == "law":
        start = form.text.find(form.number)
        return any(one.start < start + len(form.number) and one.end > start for one in found)
    if form.kind == "family":
        return any(one.start == 0 and one.end >= len(form.text.rstrip(".")) for one in found)
    if form.kind == "decision":
        return any(one.start == 0 and folded(form.text[: one.end]) == form.number for one in found)
    return any(f"-{folded(one.canonical.partition('(')[0])}".endswith(f"-{form.number}") for one in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of `benchmarks.unseen.packages`")
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    labelled: Counter[str] = Counter()
    right: Counter[str] = Counter()
    law_folder = folder_of(options.folder, "eyecite", "2.7.8")
    for form in [
        *statute_forms(),
        *code_forms(),
        *decisions(),
        *families(),
        *laws(law_folder),
        *spellings(),
        *found_forms(),
    ]:
        if form.is_sealed != options.sealed:
            continue
        labelled[form.kind] += 1
        right[form.kind] += is_found(form)
        if options.verbose and not options.sealed and not is_found(form):
            print(f"{form.kind} {form.number}: {form.text!r}: {[one.canonical for one in find(form.text)]}")
    for kind in sorted(labelled):
        print(f"{kind:9} {labelled[kind]:4} labelled, {right[kind]:4} found, recall {right[kind] / labelled[kind]:.3f}")


if __name__ == "__main__":
    main()
