"""Citations in packages that no author of the rules had read: `python -m benchmarks.unseen.citations FOLDER`.

The labels are the packages' own. In policyengine-us each reference has a title that a person wrote and the address of
the law it names: the law and section of the address must be found in the title where the title has the number. eyecite,
citeurl and citation have tests with expected values. Development: the states whose folder begins with a to m, the even
titles of the codes, and citation's tests. Sealed: the other states and titles, eyecite, citeurl.

``found`` counts all citations found in the labelled titles and sentences; those beyond the labels may be right, for a
title may cite more than its address, so their share is an upper bound of what is wrong.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from benchmarks.unseen.packages import folder_of
from rori_spiders.content.citations import Citation, find

if TYPE_CHECKING:
    from collections.abc import Iterator

_STATE_REGULATION = re.compile(r"/regulations/[\w-]+/(?P<tail>[\w.-]+)$")


class Label(NamedTuple):
    """One citation that must be found. ``code`` is "usc 26", "cfr 7", "state" or "case"; ``number`` is folded."""

    text: str
    code: str
    number: str
    is_sealed: bool
    state: str = ""


def folded(number: str) -> str:
    """A section's number in small letters, its words joined by dashes."""
    return re.sub(r"[^a-z0-9]+", "-", number.lower()).strip("-")


def law_of(address: str) -> tuple[str, str] | None:
    """Code and section of an official or well-known address of law; None for any other address."""
    parts = urlsplit(address)
    host, path = (parts.hostname or "").removeprefix("www."), unquote(parts.path).rstrip("/")
    query = {name.lower(): values[0] for name, values in parse_qs(parts.query).items()}
    if host == "law.cornell.edu":
        if found := re.fullmatch(r"/uscode/text/(\d+)/([\w-]+)", path):
            return f"usc {found[1]}", folded(found[2])
        if found := re.fullmatch(r"/cfr/text/(\d+)/([\d.]+[\w-]*)", path):
            return f"cfr {found[1]}", folded(found[2])
        if found := _STATE_REGULATION.search(path):
            tail = re.split(r"-(?:SS|r|R|tit-\d+-SS)-|-(?:AAC|CMR|NYCRR|CSR|IAC|OAC)-|^OAC-", found["tail"])[-1]
            return "state", folded(tail)
    if host == "ecfr.gov" and (found := re.search(r"/title-(\d+)/.*section-([\d.]+[\w-]*)$", path)):
        return f"cfr {found[1]}", folded(found[2])
    if host == "uscode.house.gov" and (found := re.search(r"title(\d+)-section(\w+)", query.get("req", ""))):
        return f"usc {found[1]}", folded(found[2])
    forms = {
        "nysenate.gov": r"/legislation/laws/[A-Z]+/([\w-]+)$",
        "revisor.mn.gov": r"/statutes/cite/([\w.]+)$",
        "codes.ohio.gov": r"/ohio-revised-code/section-([\d.]+)$",
        "le.utah.gov": r"/xcode/.*/([\dA-Z]+-[\dA-Z.]+-S[\d.]+)\.html$",
        "malegislature.gov": r"/Chapter(\w+/Section\w+)$",
        "legislature.vermont.gov": r"/statutes/section/\w+/\w+/(\w+)$",
        "law.justia.com": r"/section-([\w-]+)$",
        "leg.state.fl.us": r"/(\d+\.\d+)\.html$",
    }
    if host in forms and (found := re.search(forms[host], path)):
        number = found[1].replace("/Section", "-").replace("-S", "-") if host != "law.justia.com" else found[1]
        return "state", folded(number.lstrip("0"))
    if host == "app.leg.wa.gov" and "cite" in query:
        return "state", folded(query["cite"])
    if host == "leginfo.legislature.ca.gov" and "sectionnum" in query:
        return "state", folded(query["sectionnum"].rstrip("."))
    return None


def references(node: object) -> Iterator[tuple[str, str]]:
    """Title and address of each reference anywhere in a parsed file."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str) and isinstance(node.get("href"), str):
            yield node["title"], node["href"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def policy_labels(folder: Path) -> Iterator[Label]:
    seen = set()
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "href" not in text:
            continue
        for title, address in references(yaml.load(text, Loader=yaml.CBaseLoader)):  # it makes strings alone
            law = law_of(address)
            if law is None or (title, law) in seen or not has_number(title, law[1]):
                continue
            seen.add((title, law))
            yield Label(title, *law, is_sealed_of(law[0], path), _state_of(path).upper() if law[0] == "state" else "")


def has_number(title: str, number: str) -> bool:
    return f"-{number}-" in f"-{folded(title)}-" or f"-{number}" in re.sub(r"(?<=\d)[a-z]$", "", f"-{folded(title)}")


def is_sealed_of(code: str, path: Path) -> bool:
    if code != "state":
        return int(code.split()[1]) % 2 == 1
    return (_state_of(path) or "zz")[0] > "m"


def _state_of(path: Path) -> str:
    return next((part for before, part in zip(path.parts, path.parts[1:], strict=False) if before == "states"), "")


def eyecite_labels(folder: Path) -> Iterator[Label]:
    """Full decisions and laws of eyecite's tests of its finder."""
    source = next(folder.rglob("tests/test_FindTest.py")).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Tuple) and len(node.elts) > 1 and isinstance(node.elts[1], ast.List)):
            continue
        if not (isinstance(node.elts[0], ast.Constant) and isinstance(node.elts[0].value, str)):
            continue
        for call in node.elts[1].elts:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            given = {one.arg: one.value.value for one in call.keywords if isinstance(one.value, ast.Constant)}
            if call.func.id == "case_citation" and not given.get("short") and given.get("page", "1") is not None:
                number = f"{given.get('volume', '1')!s} {given.get('reporter', 'U.S.')!s} {given.get('page', '1')!s}"
                yield Label(node.elts[0].value, "case", folded(number), True)


def citeurl_labels(folder: Path) -> Iterator[Label]:
    source = next(folder.rglob("tests/test_templates.py")).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    law = law_of(value.value)
                    if law and isinstance(key.value, str) and has_number(key.value, law[1]):
                        yield Label(key.value, *law, True)


_NPM_TEST = re.compile(r"(?:\[|text =)\s*\"(?P<text>(?:[^\"\\]|\\.)+)\"(?:;|,\s*\"[^\"]*\",\s*[\{\[])", re.DOTALL)
_NPM_ID = re.compile(r"\bid(?:: |, )\"(?P<code>cfr|usc)/(?P<title>\d+)/(?P<number>[\w.-]+)")


def npm_labels(folder: Path) -> Iterator[Label]:
    for name in ("cfr", "usc"):
        source = (folder / "package" / "test" / f"{name}.js").read_text(encoding="utf-8")
        starts = list(_NPM_TEST.finditer(source))
        for match, after in zip(starts, [*starts[1:], None][: len(starts)], strict=True):
            for found in _NPM_ID.finditer(source, match.end(), after.start() if after else len(source)):
                yield Label(match["text"], f"{found['code']} {found['title']}", folded(found["number"]), False)


_PINS = re.compile(r"\(.*|,(?!\d{3}\b).*| et seq.*")
_LAW = re.compile(r"(?P<title>\d+) (?P<code>C\.F\.R\.|U\.S\.C\.) (?:§|Part) (?P<number>\S+)")


def names(citation: Citation, label: Label) -> bool:
    """Whether a found citation is of the label's law and section; paragraphs and years are left aside."""
    canonical = citation.canonical
    if label.code == "case":
        return folded(canonical) == label.number
    if label.code == "state":
        if citation.kind not in ("other", "relative"):
            return False
        return f"-{folded(canonical.partition('(')[0])}".endswith(f"-{label.number}")
    found = _LAW.match(canonical)
    code = found and f"{found['code'].replace('.', '').lower()} {found['title']}"
    return bool(found and code == label.code and folded(_PINS.sub("", found["number"])) == label.number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of `benchmarks.unseen.packages`")
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--state", action="store_true", help="tell the state of a title, as the address of a page does")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    root = options.folder
    labels = [
        *policy_labels(folder_of(root, "policyengine-us", "2.68.0")),
        *eyecite_labels(folder_of(root, "eyecite", "2.7.8")),
        *citeurl_labels(folder_of(root, "citeurl", "12.0.4")),
        *npm_labels(folder_of(root, "citation", "0.9.0")),
    ]
    labelled: Counter[str] = Counter()
    right: Counter[str] = Counter()
    named: dict[str, set[int]] = {}
    found_in: dict[str, int] = {}
    for label in labels:
        if label.is_sealed != options.sealed:
            continue
        family = label.code.split()[0]
        labelled[family] += 1
        found = find(label.text, {"state": label.state} if options.state and len(label.state) == 2 else None)
        found_in[label.text] = len(found)
        hits = {index for index, citation in enumerate(found) if names(citation, label)}
        named.setdefault(label.text, set()).update(hits)
        right[family] += bool(hits)
        if options.verbose and not options.sealed and not hits:
            print(f"{label.code} {label.number}: {label.text!r}: {[one.canonical for one in found]}")
    for family in sorted(labelled):
        share = right[family] / labelled[family]
        print(f"{family:6} {labelled[family]:4} labelled, {right[family]:4} found, recall {share:.3f}")
    every = sum(found_in.values())
    of_labels = sum(len(hits) for hits in named.values())
    print(
        f"all    {sum(labelled.values()):4} labelled, recall {sum(right.values()) / sum(labelled.values()):.3f}; "
        f"{every} citations found in them, {of_labels} of the labels' ({of_labels / max(1, every):.3f})"
    )


if __name__ == "__main__":
    main()
