"""The manifest manager in a browser: dropped, checked in its text, compared, activated, downloaded, rolled back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from rori_spiders.manifest.loading import load_packaged
from tests.monitor.browser.operated import fixed, operated
from tests.monitor.browser.seen import faultless
from tests.monitor.browser.serving import serving, sign_in
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_DROPS = """([name, text]) => {
    const dropped = new DataTransfer()
    dropped.items.add(new File([text], name))
    return dropped
}"""
_HUGE = """() => {
    const dropped = new DataTransfer()
    dropped.items.add(new File([new Uint8Array(50 << 20)], 'huge.json'))
    return dropped
}"""
_SELECTED = "(area) => area.value.slice(area.selectionStart, area.selectionEnd)"

_WRONG = """version: 1.0.0
sources:
  - id: reg-x
    name: Regulation X
    url: javascript:alert(1)
    domain: www.example.org
    jurisdiction: federal
    source_type: regulation
    method: steal
    status: active
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return operated(tmp_path_factory)


@pytest.fixture(scope="module")
def monitor(project: Project) -> Iterator[str]:
    with serving(project) as address:
        yield address


def text_of(*ids: str, version: str = "1.0.0", **more: Any) -> str:
    sources = [source(one, f"https://www.example.org/{one}", **more) for one in ids]
    return json.dumps({"version": version, "sources": sources}, indent=1)


def drop(page: Page, name: str, text: str) -> None:
    """As a person does with the mouse, but for the picture under it."""
    _drop(page, page.evaluate_handle(_DROPS, [name, text]))


def _drop(page: Page, dropped: Any) -> None:
    group = page.get_by_role("group", name="Manifest editor")
    for kind in ("dragover", "drop"):
        group.dispatch_event(kind, {"dataTransfer": dropped})


def confirm(page: Page, does: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=does).press("Enter")
    expect(dialog).to_be_hidden()


def active_row(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="All manifests").get_by_role("row").filter(has_text=name)


def test_manifests_screen_invalid_text_marks_position(signed_in: SignedIn) -> None:
    page = signed_in("operator", "/manifests")
    drop(page, "mine.yaml", _WRONG)
    expect(page.get_by_label("Name")).to_have_value("mine")
    problems = page.get_by_role("region", name="Problems")
    expect(problems).to_contain_text("2 problems: this manifest cannot be activated.")
    expect(page.get_by_role("button", name="Activate")).to_have_count(0)
    assert faultless(page, "problems") == []
    area = page.get_by_label("Manifest text")
    expect(page.locator("[data-marked]")).to_have_text(["● 5", "● 9"])
    area.focus()
    for key, said in (("F8", "javascript:alert(1)"), ("F8", "steal"), ("F8", "javascript"), ("Shift+F8", "steal")):
        page.keyboard.press(key)
        assert area.evaluate(_SELECTED).startswith(said), (key, said)
    problems.get_by_role("button", name="line 5").press("Enter")
    expect(area).to_be_focused()
    assert area.evaluate(_SELECTED) == "javascript:alert(1)"
    page.keyboard.type("https://www.example.org/x")
    expect(problems).to_be_hidden()
    page.get_by_role("button", name="Check").press("Enter")
    expect(problems).to_contain_text("1 problem")


def test_manifests_screen_activate_compare_and_roll_back(signed_in: SignedIn) -> None:
    page, packaged = signed_in("operator", "/manifests"), load_packaged("fthb")
    lost = sum(one.status == "active" for one in packaged.manifest.sources)
    with page.expect_download() as download:
        active_row(page, "fthb").get_by_role("link", name="download").press("Enter")
    assert download.value.path().read_text(encoding="utf-8") == packaged.text
    drop(page, "mine.json", text_of("reg-x", "reg-z"))
    found = page.get_by_role("region", name="Check result")
    expect(found).to_contain_text(f"This version adds 2 sources, and {lost} sources are no longer collected.")
    found.get_by_text("Sources to fetch (2)").press("Enter")
    expect(found).to_contain_text("https://www.example.org/reg-z")
    assert faultless(page, "verdict") == []
    activate = found.get_by_role("button", name="Activate")
    activate.press("Enter")
    dialog = page.get_by_role("dialog", name="Activate mine?")
    expect(dialog).to_contain_text(f"fthb, entirely ({lost})")
    assert packaged.manifest.sources[0].id in dialog.inner_text()
    assert faultless(page, "activate") == []
    page.keyboard.press("Escape")
    expect(activate).to_be_focused()
    expect(active_row(page, "fthb")).to_be_visible()
    activate.press("Enter")
    confirm(page, "Activate")
    expect(found.get_by_role("button", name="Active")).to_be_focused()
    expect(page.get_by_role("status").get_by_text("mine is active.")).to_be_visible()
    expect(active_row(page, "mine")).to_contain_text("operator")
    expect(active_row(page, "fthb")).to_have_count(0)

    second = text_of("reg-x", version="1.1.0", frequency="daily").encode()
    page.get_by_label("Manifest file").set_input_files(
        {"name": "mine.json", "mimeType": "application/json", "buffer": second}
    )
    expect(found).to_contain_text(
        "This version changes 1 source, removes 1 source, and 1 source is no longer collected."
    )
    expect(found.locator("ins").get_by_text("daily")).to_be_visible()
    expect(found.get_by_label("Sources of mine")).to_have_text("reg-z")
    found.get_by_role("button", name="Activate").press("Enter")
    confirm(page, "Activate")
    expect(active_row(page, "mine")).to_contain_text("1.1.0")
    _back_to_the_first(page)


def _back_to_the_first(page: Page) -> None:
    page.get_by_role("link", name="mine", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"\?name=mine$"))
    versions = page.get_by_role("region", name="Versions of mine").first
    old = versions.get_by_role("row").filter(has_text="1.0.0")
    old.get_by_role("button", name="with active").press("Enter")
    expect(page.get_by_role("region", name="Version diff")).to_contain_text("daily")
    with page.expect_download() as download:
        old.get_by_role("link", name="download").press("Enter")
    assert download.value.suggested_filename == "mine.json"
    assert download.value.path().read_text(encoding="utf-8") == text_of("reg-x", "reg-z")
    assert faultless(page, "versions") == []
    old.get_by_role("button", name="Roll back").press("Enter")
    dialog = page.get_by_role("dialog", name="Roll mine back to version 1.0.0?")
    expect(dialog).to_contain_text("This adds 1 source, changes 1 source.")
    assert faultless(page, "roll back") == []
    confirm(page, "Roll back")
    expect(active_row(page, "mine")).to_contain_text("1.0.0")
    expect(versions.get_by_role("row")).to_have_count(4)


def test_manifests_screen_other_text_is_refused(signed_in: SignedIn, excused: list[str]) -> None:
    page = signed_in("operator", "/manifests")
    excused.append("status of 422")
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 20))
    drop(page, "bomb.yaml", bomb)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This is not a manifest.")
    expect(alert).to_contain_text("line")
    assert faultless(page, "bomb") == []
    _drop(page, page.evaluate_handle(_HUGE))
    expect(page.get_by_text("huge.json is larger than 5 MB, the limit for manifests.")).to_be_visible()
    expect(page.get_by_label("Manifest text")).to_have_value(bomb)
    page.get_by_label("Name").fill("../..")
    page.get_by_role("button", name="Check").press("Enter")
    expect(alert).to_contain_text("expected a manifest name")
    page.get_by_label("Name").fill("x")
    page.get_by_label("Manifest text").fill('{"sources": [')
    page.get_by_role("button", name="Check").press("Enter")
    expect(page.get_by_role("region", name="Problems")).to_contain_text("ends too early")


def test_manifests_screen_explicit_file_wins(project: Project, chromium: Browser) -> None:
    file = project.folder / "fixed.json"
    file.write_text(text_of("reg-x"), encoding="utf-8")
    with fixed(project, str(file)) as address, chromium.new_context(base_url=address) as context:
        page = context.new_page()
        sign_in(page, "operator", "/manifests")
        expect(page.get_by_text(f"RORI_MANIFEST overrides the active manifest: {file}")).to_be_visible()
        drop(page, "other.json", text_of("reg-y"))
        expect(page.get_by_text("Cannot activate while RORI_MANIFEST is set")).to_be_visible()
        expect(page.get_by_role("button", name="Activate")).to_have_count(0)
        assert faultless(page, "fixed") == []
