"""The rounds: a site published, edited, published again, in part, redesigned, taken back; each version looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus.two_rounds.checks import bodies
from tests.corpus.two_rounds.script import INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.corpus.two_rounds.driver import Drive
    from tests.corpus.two_rounds.script import Expected

    Round = Callable[[Drive, str], Expected]


def drive_twice(
    drive: Drive, pages: int, rounds: Sequence[Round] | None = None, tell: Callable[[str], None] = lambda _: None
) -> list[dict[str, str]]:
    """A site of *pages* through all states twice, once in part, redesigned, and back; the texts of each version."""
    script = drive.script
    for _ in range(pages):
        script.add()
    hidden = script.add(unlisted=True)
    for step in rounds or ROUNDS:
        expected = step(drive, hidden)
        pages_of, graves = len(expected.pages), len(expected.graves)
        states = [sum(one == state for one in expected.states.values()) for state in ("new", "changed", "unchanged")]
        said = "{} new, {} changed, {} unchanged".format(*states)
        tell(f"version {expected.number}: {pages_of} pages ({said}), {graves} tombstones, as the script has them")
    done = drive.project.scrapy("verify")
    assert done.returncode == 0 and f"{len(script.versions)} corpus versions" in done.stdout, done.stdout
    numbers = [one.number for one in script.versions]
    return [bodies(drive.files(number), drive.site.url) for number in numbers]


def first_round(drive: Drive, hidden: str) -> Expected:
    """Collected, run; two pages kept out, one of each excluded kind taken in, one added that no link leads to."""
    script = drive.script
    drive.collect()
    drive.does("run")
    drive.decides("exclude", [INDEX, *script.belonging[1:3]], "not for this corpus")
    by_rule = {rule: path for path in script.editions if (rule := script.rule_against(path)) is not None}
    drive.decides("include", list(by_rule.values()), "it is still in force")
    drive.decides("add", [hidden], "an annex without a link")
    drive.does("run")
    assert "texts reviewed" in drive.does("approve", code=2)
    return _published(drive, whole=True)


def second_round(drive: Drive, hidden: str) -> Expected:
    """A tenth edited, some gone for good, as many new; one kept out, one that was kept out taken in. A full run."""
    script = drive.script
    listed = [path for path in script.belonging if path not in script.unlisted]
    most = max(2, len(script.editions) // 25)  # a source does not lose more than a twentieth at once
    script.remove(listed[-most:])
    script.edit(listed[4 : 4 + max(2, len(listed) // 10)])
    for _ in range(most):
        script.add()
    drive.collect()
    drive.collect(days_later=True)
    drive.does("run")
    drive.approvals_hold()
    was_out = next(path for path, said in script.said.items() if said == "exclude" and path != INDEX)
    drive.decides("exclude", script.belonging[:1], "repealed")
    drive.decides("include", [was_out], "asked for after all")
    drive.does("run")
    assert script.belongs(hidden)
    return _published(drive, whole=True)


def draft(drive: Drive, hidden: str) -> Expected:
    """A draft of what has changed since; its loader fails, `reconcile` names each drift, and it is loaded then."""
    script = drive.script
    assert "no changes since" in drive.does("delta")
    listed = [path for path in script.belonging if path not in script.unlisted]
    script.edit(listed[1:4])
    script.remove(listed[-1:])
    script.add()
    drive.collect()
    drive.collect(days_later=True)
    assert "draft started" in drive.does("delta")
    drive.does("run")
    drive.reviewed(whole=False)
    drive.does("publish", code=1, RORI_CORPUS_LOADER="false")
    expected = script.publish()
    drive.is_published(expected)
    changed = {path: "other_hash" for path, state in expected.states.items() if state == "changed"}
    new = {path: "missing" for path, state in expected.states.items() if state == "new"}
    gone = {path: "not_removed" for path, since in expected.graves.items() if since == expected.number}
    assert drive.drifts() == changed | new | gone
    assert "Loader: done" in drive.does("load")
    _is_latest(drive, expected)
    return expected


def redesign(drive: Drive, hidden: str) -> Expected:
    """Two fifths of the pages are others: nothing is published before somebody says why."""
    script = drive.script
    listed = [path for path in script.belonging if path not in script.unlisted]
    script.edit(listed[: 2 * len(listed) // 5 + 1])
    drive.collect()
    drive.does("delta")
    drive.does("run")
    drive.reviewed(whole=False)
    before = drive.latest()
    assert "third" in drive.does("publish", code=2)
    assert drive.latest() == before and not (drive.corpora / f"v{before + 1}").exists()
    return _released(drive, "--reason", "the site was redesigned")


def going_back(drive: Drive, hidden: str) -> Expected:
    """The pages of the first version, as a new one."""
    drive.does("rollback", "1", "--reason", "the new edition was not in force")
    expected = drive.script.roll_back(1)
    _is_latest(drive, expected)
    return expected


#: All of them, in their order.
ROUNDS: tuple[Round, ...] = (first_round, second_round, draft, redesign, going_back)


def _published(drive: Drive, *, whole: bool) -> Expected:
    drive.reviewed(whole=whole)
    return _released(drive)


def _released(drive: Drive, *options: str) -> Expected:
    expected = drive.script.publish()
    said = drive.does("publish", *options)
    told = f"version {expected.number}, {len(expected.pages):,} pages, {len(expected.graves):,} tombstones"
    _is_latest(drive, expected)
    assert told in said, said
    return expected


def _is_latest(drive: Drive, expected: Expected) -> None:
    drive.is_loaded(expected, drive.is_published(expected))
