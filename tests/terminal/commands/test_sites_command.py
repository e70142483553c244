"""`scrapy sites`: what a recipe changes on kept pages, and what it says to what is none."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.recipe_trial import list_packaged_recipes
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import Job, begin
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

HOST = "www.consumerfinance.gov"
_LAW = "<p>A servicer must answer a notice of error within thirty days of receipt, in writing.</p>" * 5
_PAGE = f"""<html><head><title>Rule</title><link href="/wp-content/a.css"></head><body><main><h1>Rule</h1>{_LAW}
<div id="comments"><p>Great post, thank you very much!</p></div></main></body></html>"""


@pytest.fixture
def kept(project: Project) -> None:
    """One page of WordPress, with a reader's comment."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        job.page(begin(job, SITE)[0], _PAGE)


@pytest.mark.usefixtures("kept")
def test_sites_test_recipe_says_which_lines_go(typed: Typed) -> None:
    done = typed("sites", "test", "consumerfinance.gov", "--recipe", "wordpress", "--format", "json")
    [row] = json.loads(done.out)
    assert (done.code, row["url"], row["error"], row["gained"]) == (0, SITE, None, []), done.err
    assert row["lost"] == ["Great post, thank you very much!"] and row["chars_with"] < row["chars"]
    shown = typed("sites", "test", HOST, "--recipe", "wordpress").out
    assert "  - Great post, thank you very much!" in shown
    assert "wordpress: 1 page of this make; the text of 1 would change." in shown
    assert typed("sites", "test", HOST).out == shown
    assert 'For scrape_config: {"remove_selectors": ["#comments"' in shown


@pytest.mark.usefixtures("kept")
def test_sites_test_recipe_of_a_file_is_read_and_judged(typed: Typed, project: Project) -> None:
    recipe = project.folder / "mine.yaml"
    recipe.write_text("about: Mine\ncontent_selector: article\n")
    done = typed("sites", "test", HOST, "--recipe", str(recipe), "--format", "json")
    assert done.code == 1 and "matches nothing" in json.loads(done.out)[0]["error"]
    recipe.write_text("about: Mine\nsigns: [/drupal/]\nremove_selectors: [h1]\n")
    assert json.loads(typed("sites", "test", HOST, "--recipe", str(recipe), "--format", "json").out) == []
    for text, message in (
        ("about: Mine\nclick: x\n", "click"),
        ("about: Mine\nremove_selectors: ['h1[']\n", "remove_selectors.0"),
    ):
        recipe.write_text(text)
        wrong = typed("sites", "test", HOST, "--recipe", str(recipe))
        assert wrong.code == 2 and message in wrong.err, wrong.err
    assert typed("sites", "test", HOST, "--recipe", "no-such").code == 2
    assert "no page of hud.gov is stored" in typed("sites", "test", "hud.gov", "--recipe", "wordpress").err


def test_sites_recipes_of_the_package_are_valid() -> None:
    assert list(list_packaged_recipes()) == ["confluence", "drupal", "wordpress"]
