"""Imports go down: FLOORS says which room stands on which floor, docs/architecture.md shows it, the code obeys."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.house.code import Module, docs, imports, modules, rooms

#: From the ground up. A room imports from lower floors, never from its own floor or a higher one.
FLOORS = (
    (
        "exceptions",
        "urls",
        "items",
        "redaction",
        "retries",
        "robots",
        "politeness",
        "processes",
        "sitemaps",
        "lastmods",
        "spawning",
        "traps",
        "wording",
    ),
    ("addresses", "content", "logs", "run"),
    ("manifest", "envelope", "pool", "publishers", "verdicts", "wikis"),
    ("configuration", "conversion", "fetching", "ladder", "ledger", "schedule"),
    (
        "announcing",
        "places",
        "inforce",
        "known",
        "leasing",
        "removal",
        "reviews",
        "standing",
        "stores",
        "summaries",
        "usual",
        "demo",
    ),
    ("alerts", "ending", "fleet", "job", "llm", "metrics", "refusals"),
    ("tiers", "fields", "lifecycle", "queued", "nodes", "unstaged"),
    ("recording", "downloader", "walkers", "downloadermiddlewares", "spidermiddlewares"),
    ("spiders", "online", "mapping", "pipelines"),
    ("acceptance", "comparison", "corpus", "doctor", "errands", "extensions", "forecast"),
    ("spiderloader", "terminal", "monitor"),
    ("commands",),
)
#: Scrapy begins above this floor: everything up to it is usable and testable without a crawler.
LAST_STEP = "stores"
#: Stands beside the house: names components by strings, imports only what reads the environment, and nobody imports it.
BESIDE = "settings"

FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}
MODULES = [module for module in modules().values() if module.room not in {"", BESIDE}]


def names(module: Module) -> str:
    return module.name.removeprefix("rori_spiders.")


def test_every_room_has_its_floor() -> None:
    assert set(FLOOR_OF) == rooms() - {BESIDE}
    assert len(FLOOR_OF) == sum(map(len, FLOORS))


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_imports_go_down(module: Module) -> None:
    for imported in imports(module):
        if not imported.startswith("rori_spiders."):
            continue
        room = modules()[imported].room
        if room != module.room:
            assert FLOOR_OF[room] < FLOOR_OF[module.room], f"{module.name} imports {imported}, which is not below it"


@pytest.mark.parametrize("room", sorted(FLOOR_OF))
def test_a_room_has_no_circle(room: str) -> None:
    graph = {
        module.name: {one for one in imports(module) if one in modules() and modules()[one].room == room}
        - {module.name}
        for module in MODULES
        if module.room == room
    }
    # A package that names what it offers imports its own modules; they import each other, never the package.
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_steps_know_nothing_of_scrapy(module: Module) -> None:
    if FLOOR_OF[module.room] <= FLOOR_OF[LAST_STEP]:
        foreign = {one for one in imports(module) if one.partition(".")[0] in {"scrapy", "twisted"}}
        assert not foreign, f"{module.name} is a step and imports {foreign}"


def test_settings_stand_beside_the_house() -> None:
    ours = {one for one in imports(modules()[f"rori_spiders.{BESIDE}"]) if one.startswith("rori_spiders")}
    assert ours == {"rori_spiders.configuration.setting_values"}
    assert not [module.name for module in MODULES if f"rori_spiders.{BESIDE}" in imports(module)]


def test_the_picture_in_the_docs_is_this_one() -> None:
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", docs("architecture.md"), re.MULTILINE)
    drawn = {int(number): tuple(re.findall(r"`(\w+)`", cell)) for number, cell in rows}
    assert drawn == dict(enumerate(FLOORS))


@pytest.mark.parametrize("room", sorted(FLOOR_OF))
def test_every_room_says_what_it_is_for(room: str) -> None:
    [door] = [module for module in MODULES if module.name == f"rori_spiders.{room}"]
    text = door.path.read_text(encoding="utf-8")
    assert text.lstrip().startswith('"""'), f"{door.path} has no docstring"
