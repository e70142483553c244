"""Which rules are one, and which meet: pieces on one line put together, and groups of rules that hang together."""

from __future__ import annotations

from rori_spiders.content.documents.pdf.rules import Rule

# Rules that are meant to meet do so within this many points.
NEAR = 2.5


def merged(rules: list[Rule]) -> list[Rule]:
    """Rules at one place that touch or overlap, as one."""
    out: list[Rule] = []
    for level in _levels(rules):
        at = sum(rule.at for rule in level) / len(level)
        for rule in sorted(level, key=lambda rule: rule.start):
            last = out[-1] if out and out[-1].at == at else None
            if last and rule.start <= last.end + NEAR:
                out[-1] = Rule(at, last.start, max(last.end, rule.end))
            else:
                out.append(Rule(at, rule.start, rule.end))
    return out


def _levels(rules: list[Rule]) -> list[list[Rule]]:
    levels: list[list[Rule]] = []
    for rule in sorted(rules):
        if levels and rule.at - levels[-1][0].at <= NEAR:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    return levels


def groups(across: list[Rule], down: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that meet one another, directly or by way of others."""
    parent = list(range(len(across) + len(down)))

    def top(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for first, flat in enumerate(across):
        for second, steep in enumerate(down, len(across)):
            if _meet(flat, steep):
                parent[top(second)] = top(first)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*across, *down]):
        groups.setdefault(top(index), ([], []))[index >= len(across)].append(rule)
    return [group for group in groups.values() if len(group[0]) > 1 and group[1]]


def _meet(flat: Rule, steep: Rule) -> bool:
    return flat.start - NEAR <= steep.at <= flat.end + NEAR and steep.start - NEAR <= flat.at <= steep.end + NEAR
