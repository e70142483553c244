"""The rules of verdicts as a page of docs: `python -m benchmarks.verdict_rules > docs/reference/verdict-rules.md`."""

from __future__ import annotations

from rori_spiders.verdicts.judge import RULES

_HEAD = """# Rules of verdicts

Made from the tables in `rori_spiders/verdicts/rules_*.py` by `python -m benchmarks.verdict_rules`;
docs/reference/verdicts.md says how they are read. "Up to" is how many characters of its own text
a page may have for the rule to count.

| rule | kind | vendor | strength | looks at | up to | source |
|---|---|---|---|---|---|---|
"""


def table() -> str:
    rows = []
    for rule in RULES:
        also = f", {rule.also[0]}" if rule.also else ""
        limit = "any" if rule.place in ("url", "header") and rule.strength == "strong" else f"{rule.limit:,}"
        row = (
            f"`{rule.name}`",
            f"`{rule.kind}`",
            rule.vendor or "",
            rule.strength,
            rule.place + also,
            limit,
            rule.source,
        )
        rows.append(f"| {' | '.join(row)} |")
    return _HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(table(), end="")
