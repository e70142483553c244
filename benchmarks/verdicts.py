"""How well verdicts tell content from refusals: `python -m benchmarks.verdicts FOLDER`.

FOLDER, or each folder in it, holds pages and an ``index.tsv`` (tab-separated, with a header): ``file`` and ``label``
(`verdict_labels`; ``neg-...`` for good pages), and where known ``http_status``, ``headers`` ("name: value; name:
value") and ``original_url``. Pages may be gzipped (.gz). A page of unknown status is judged as if it came with 200,
which is the hard case.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import statistics
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.verdict_labels import LABELS, REFUSALS, is_good, is_refusal
from benchmarks.verdict_rivals import rivals
from rori_spiders.content.encoding import decode
from rori_spiders.verdicts import Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.verdict_rivals import Detector

_HEADER = re.compile(r"(?:^|; )([a-z][a-z0-9-]+): ", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    path: Path
    label: str
    status: int
    url: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Judged:
    page: Page
    verdict: Verdict
    seconds: float

    @property
    def told(self) -> bool:
        return not self.verdict.is_content


def pages(folder: Path, status: int | None = None) -> Iterator[Page]:
    """The labelled pages of *folder*; ``status`` instead of what the index says."""
    for index in sorted({folder / "index.tsv", *folder.glob("*/index.tsv")}):
        if not index.exists():
            continue
        with index.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row.get("label"):
                    yield _page(index.parent / row["file"], row, status)


def _page(path: Path, row: dict[str, str], status: int | None) -> Page:
    body = path.read_bytes()
    known = re.match(r"\d{3}", row.get("http_status") or "")
    return Page(
        path,
        row["label"],
        status or (int(known[0]) if known else 200),
        row.get("original_url") or "",
        _headers(row.get("headers") or ""),
        gzip.decompress(body) if path.suffix == ".gz" else body,
    )


def _headers(text: str) -> dict[str, str]:
    parts = _HEADER.split(text)[1:]
    found: dict[str, str] = {}
    for name, value in zip(parts[::2], parts[1::2], strict=True):
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def judged(page: Page) -> Judged:
    start = time.perf_counter()
    verdict = judge(status=page.status, url=page.url, headers=page.headers, body=page.body)
    return Judged(page, verdict, time.perf_counter() - start)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.verdicts", description=__doc__)
    parser.add_argument("folder", type=Path, help="labelled pages with an index.tsv, or folders of such")
    parser.add_argument("--status", type=int, help="judge all pages as if they came with this status")
    parser.add_argument("--beside", type=Path, help="a folder with crawl4ai and crawlee unpacked, measured beside ours")
    given = parser.parse_args(arguments)
    results = [judged(page) for page in pages(given.folder, given.status)]
    if not results:
        parser.error(f"no labelled pages in {given.folder}")
    _by_label(results)
    _wrong(results)
    _confusion(results)
    _scores("ours", [(one.page.label, one.told) for one in results])
    for name, detector in (rivals(given.beside) if given.beside else {}).items():
        _scores(name, [(one.page.label, _blocked(detector, one.page)) for one in results])
    _speed(results)
    return 0


def _blocked(detector: Detector, page: Page) -> bool:
    return detector(page.status, decode(page.body, page.headers.get("content-type")).text)


def _by_label(results: list[Judged]) -> None:
    labels: dict[str, list[Judged]] = defaultdict(list)
    for one in results:
        labels[one.page.label].append(one)
    print(f"{'label':44} pages  told  kinds (* not what the label means)")
    for label, ones in sorted(labels.items()):
        told = sum(one.told for one in ones)
        kinds = Counter(one.verdict.kind for one in ones)
        shown = ", ".join(f"{kind} {count}{_mark(label, kind)}" for kind, count in kinds.most_common())
        print(f"{label:44} {len(ones):5} {told:5}  {shown}")


def _mark(label: str, kind: str) -> str:
    return "*" if label in LABELS and kind not in LABELS[label] else ""


def _wrong(results: list[Judged]) -> None:
    print("\nnot told:")
    for one in results:
        if not is_good(one.page.label) and not one.told:
            print(f"  {one.page.path.name}: content {one.verdict.confidence}")
    print("\ngood pages that are not called content:")
    for one in results:
        if is_good(one.page.label) and one.told:
            rules = ", ".join(f"{fired.rule} at {fired.where}" for fired in one.verdict.rules)
            print(f"  {one.page.path.name}: {one.verdict.kind} {one.verdict.confidence} ({rules})")


def _confusion(results: list[Judged]) -> None:
    """Kinds that labels mean against kinds that were told; right answers are left out."""
    pairs = Counter(
        (" or ".join(LABELS[one.page.label]), one.verdict.kind)
        for one in results
        if one.page.label in LABELS and one.verdict.kind not in LABELS[one.page.label]
    )
    right = sum(one.page.label in LABELS and one.verdict.kind in LABELS[one.page.label] for one in results)
    print(f"\nof the kind that the label means: {right} of {sum(one.page.label in LABELS for one in results)}")
    for (meant, told), count in pairs.most_common():
        print(f"  {meant} told as {told}: {count}")
    alarms = sum(is_good(one.page.label) and one.verdict.kind in REFUSALS for one in results)
    print(f"good pages told as a refusal (not as missing, a shell or a stub): {alarms}")


def _scores(name: str, told: list[tuple[str, bool]]) -> None:
    bad = [answer for label, answer in told if not is_good(label)]
    refusals = [answer for label, answer in told if is_refusal(label)]
    good = [answer for label, answer in told if is_good(label)]
    print(
        f"\n{name}: told {_share(bad)}, of them refusals {_share(refusals)}; "
        f"good pages not called content {sum(good)} of {len(good)}"
    )


def _share(answers: list[bool]) -> str:
    return f"{sum(answers)} of {len(answers)} ({sum(answers) / max(1, len(answers)):.1%})"


def _speed(results: list[Judged]) -> None:
    seconds = sorted(one.seconds for one in results)
    size = sum(len(one.page.body) for one in results)
    print(
        f"\nseconds per page: mean {statistics.fmean(seconds):.4f}, 95 of 100 within "
        f"{seconds[int(len(seconds) * 0.95)]:.4f}, longest {seconds[-1]:.4f}; "
        f"{size / 2**20 / sum(seconds):.1f} MiB a second"
    )


if __name__ == "__main__":
    raise SystemExit(main())
