"""Citations found against citations labelled: `python -m benchmarks.content_citations LABELS.jsonl [--errors]`.

A line is a passage: ``text``, ``context``, and ``citations`` with ``start``, ``end``, ``kind``, ``canonical``. One that
was found is right when it overlaps a label of the same canonical form, each label once. A wrong one is charged to the
kind of the label that it overlaps, else to the kind that it says it is.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.reading import label_of, lines_of
from rori_spiders.content.citations import find

if TYPE_CHECKING:
    from collections.abc import Sequence

_APART = ("relative", "other")


def _key(canonical: str) -> str:
    return "".join(canonical.casefold().replace("–", "-").replace("part", "").replace("§", "").split())


def score(row: dict[str, Any], counts: dict[str, Counter[str]]) -> list[str]:
    """Count the passage's citations by kind: labelled, found, right. Returns what was wrong."""
    labels, wrong = list(row["citations"]), []
    counts["labelled"].update(label["kind"] for label in labels)
    for citation in find(row["text"], row.get("context")):
        near = [label for label in labels if label["start"] < citation.end and label["end"] > citation.start]
        right = next((label for label in near if _key(label["canonical"]) == _key(citation.canonical)), None)
        kind = (right or (near[0] if near else {"kind": citation.kind}))["kind"]
        counts["found"][kind] += 1
        if right is None:
            wrong.append(f"{row['id']}: {citation.canonical} is not there")
        else:
            counts["right"][kind] += 1
            labels.remove(right)
    return wrong + [f"{row['id']}: {label['canonical']} was missed" for label in labels]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_citations", description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--errors", action="store_true", help="list what was wrong")
    given = parser.parse_args(arguments)
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("labelled", "found", "right")}
    wrong = []
    for number, line in enumerate(lines_of(given.labels, parser), 1):
        label = label_of(line, number, parser)
        if not label.keys() >= {"id", "text", "citations"}:
            parser.error(f"line {number} is no labelled passage: it has no id, text, or citations")
        wrong += score(label, counts)
    kinds = sorted(counts["labelled"] | counts["found"])
    groups = {kind: [kind] for kind in kinds}
    groups |= {"explicit": [kind for kind in kinds if kind not in _APART], "all": kinds}
    for name, members in groups.items():
        labelled, found, right = (
            sum(counts[what][kind] for kind in members) for what in ("labelled", "found", "right")
        )
        precision, recall = right / max(1, found), right / max(1, labelled)
        print(f"{name:18} {labelled:4} {found:4} precision {precision:.3f} recall {recall:.3f}")
    print("\n".join(wrong if given.errors else []))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
