"""Manifests in the monitor: checked with each problem in its place, compared, activated, rolled back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.tables import manifest_versions
from rori_spiders.manifest.loading import load_packaged
from tests.manifest.examples import manifest, source

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState
    from tests.monitor.conftest import Clock


def text_of(*sources: dict[str, Any], version: str = "1.0.0") -> str:
    return json.dumps(manifest(*sources) | {"version": version}, indent=1)


def checked(operator: TestClient, text: str, name: str = "mine.json") -> dict[str, Any]:
    answer = operator.post("/api/v1/manifests/check", json={"name": name, "text": text})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def activated(operator: TestClient, text: str, name: str = "mine.json") -> dict[str, Any]:
    sha256 = checked(operator, text, name)["sha256"]
    answer = operator.post("/api/v1/manifests/activate", json={"name": name, "text": text, "sha256": sha256})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_manifests_check_activate_compare_and_roll_back(operator: TestClient, served: AppState, clock: Clock) -> None:
    first = text_of(source(id="a-page", method="scrape"))
    told = checked(operator, first)
    assert (told["name"], told["problems"], told["against"], told["same"]) == ("mine", [], None, False)
    assert [(one["source_id"], one["kind"]) for one in told["difference"]] == [("a-page", "added")]
    (would,) = told["would_fetch"]
    assert (would["source_id"], would["pages"], would["credits"]) == ("a-page", 1, 0)
    assert activated(operator, first)["still_active"] == []
    assert operator.get("/api/v1/sources/a-page").status_code == 200

    second = text_of(source(id="a-page", method="scrape", name="Another name"), source(id="b-page"), version="1.1.0")
    told = checked(operator, second, "C:\\manifests\\mine.JSON")
    assert told["against"] == "1.0.0"
    by_source = {one["source_id"]: one for one in told["difference"]}
    assert {one["field"] for one in by_source[None]["fields"]} == {"version"}
    (name,) = by_source["a-page"]["fields"]
    assert (name["field"], name["after"]) == ("name", "Another name")
    assert (by_source["b-page"]["kind"], told["would_fetch_in_all"]) == ("added", 2)
    activated(operator, second)
    assert checked(operator, second)["same"] is True

    versions = operator.get("/api/v1/manifests/mine/versions").json()
    assert [one["version"] for one in versions["items"]] == ["1.1.0", "1.0.0"]
    old = versions["items"][1]["version_id"]
    file = operator.get(f"/api/v1/manifests/versions/{old}/text")
    assert file.text == first and 'filename="mine.json"' in file.headers["content-disposition"]
    clock.go(minutes=1)
    assert operator.post(f"/api/v1/manifests/versions/{old}/activate").json()["version"] == "1.0.0"
    (row,) = operator.get("/api/v1/manifests").json()["items"]
    assert (row["version"], row["active"], row["versions"], row["activated_by"]) == ("1.0.0", True, 3, "olga")
    with served.ledger.connect() as conn:
        done = activity_log.recent_actions(conn, target="mine")
    assert [(one["actor"], one["action"]) for one in done] == [("olga", "activate")] * 3


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_removed_sources_are_listed_before_activation(operator: TestClient, viewer: TestClient) -> None:
    packaged = load_packaged("fthb")
    active = [one.id for one in packaged.manifest.sources if one.status == "active"]
    first = text_of(source(id="a-page"), source(id="b-page"))
    (ending,) = checked(operator, first)["ending"]
    assert ending == {
        "name": "fthb",
        "packaged": True,
        "whole": True,
        "source_ids": active,
        "sources_in_all": len(active),
    }
    assert viewer.get("/api/v1/manifests/fthb/text").text == packaged.text
    activated(operator, first)
    assert viewer.get("/api/v1/manifests/fthb/text").json()["error"]["code"] == "unknown_manifest"
    assert checked(operator, first)["ending"] == []
    assert checked(operator, text_of(source(id="c-page")), "other.json")["ending"] == []
    second = text_of(source(id="b-page", status="retired"), version="1.1.0")
    (ending,) = checked(operator, second)["ending"]
    assert (ending["name"], ending["whole"], ending["source_ids"]) == ("mine", False, ["a-page", "b-page"])
    activated(operator, second)
    newest, oldest = operator.get("/api/v1/manifests/mine/versions").json()["items"]
    back = viewer.get(f"/api/v1/manifests/versions/{oldest['version_id']}/check").json()
    assert (back["against"], back["version"], back["ending"]) == ("1.1.0", "1.0.0", [])
    assert viewer.get("/api/v1/manifests/versions/99/check").json()["error"]["code"] == "unknown_manifest_version"
    assert newest["active"]


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_valid_text_replaces_invalid_active_version(operator: TestClient, served: AppState) -> None:
    activated(operator, text_of(source(id="a-page")))
    with served.ledger.begin() as conn:
        conn.execute(manifest_versions.update().values(text="{}", sha256="0" * 64))
    told = checked(operator, text_of(source(id="a-page")))
    assert (told["problems"], told["ending"]) == ([], None)
    assert activated(operator, text_of(source(id="a-page")))["version"] == "1.0.0"


def test_manifests_problems_have_positions(operator: TestClient) -> None:
    text = text_of(source(id="a-page"), source(id="A Page", method="steal"))
    told = checked(operator, text)
    assert (told["sha256"], told["difference"], told["would_fetch"]) == (None, [], [])
    places = {one["path"]: one for one in told["problems"]}
    problem = places["$.sources[1].method"]
    line = text.splitlines()[problem["line"] - 1]
    assert line[problem["column"] - 1 :].startswith('"steal"') and problem["source_id"] == "A Page"
    cut = checked(operator, text[:-9])["problems"]
    assert len(cut) == 1 and cut[0]["line"] and "ends too early" in cut[0]["message"]
    yaml = "version: 1.0.0\nsources:\n  - id: {a: b}\n    url: javascript:alert(1)\n"
    places = {one["path"]: one for one in checked(operator, yaml, "mine.yaml")["problems"]}
    assert (places["$.sources[0].id"]["line"], places["$.sources[0].id"]["column"]) == (3, 9)
    assert places["$.sources[0].url"]["line"] == 4


def test_manifests_id_of_other_active_manifest_is_a_problem(operator: TestClient) -> None:
    activated(operator, text_of(source(id="a-page")), "other.json")
    text = text_of(source(id="b-page"), source(id="a-page"))
    (problem,) = checked(operator, text)["problems"]
    assert problem["path"] == "$.sources[1].id" and text.splitlines()[problem["line"] - 1].strip().startswith('"id"')
    refused = operator.post("/api/v1/manifests/activate", json={"name": "mine", "text": text, "sha256": "0" * 64})
    assert refused.status_code == 422 and "Nothing was changed" in refused.json()["error"]["message"]


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 20))


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bomb.yaml", BOMB),
        ("deep.yaml", "sources: " + "[" * 5_000),
        ("deep.json", "[" * 100_000),
        ("nested.json", '{"sources": ' + "[" * 200 + "]" * 200 + "}"),
        ("large.json", " " * (5 * 1024 * 1024 + 1)),
    ],
    ids=["aliases", "deep yaml", "deep json", "nested", "large"],
)
def test_manifests_decompression_bomb_is_a_422(operator: TestClient, name: str, text: str) -> None:
    answer = operator.post("/api/v1/manifests/check", json={"name": name, "text": text})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "invalid_input")
    assert error["details"]["problems"][0]["message"]


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize("name", ["", "..", "a/..", "a\x00b", "x\ny", ".json", "a" * 201, None, 7])
def test_manifests_invalid_name_is_refused(operator: TestClient, name: object) -> None:
    answer = operator.post("/api/v1/manifests/check", json={"name": name, "text": "{}"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_name_is_no_path(operator: TestClient, served: AppState) -> None:
    activated(operator, text_of(source(id="a-page")), '../../etc/pass"wd<b>.json')
    with served.ledger.connect() as conn:
        (row,) = conn.execute(select(manifest_versions)).all()
    assert row.name == 'pass"wd<b>'
    file = operator.get(f"/api/v1/manifests/versions/{row.manifest_version_id}/text")
    assert file.headers["content-disposition"].startswith('attachment; filename="pass_wd_b_.json"; filename*')


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_activation_needs_operator_and_checked_text(operator: TestClient, viewer: TestClient) -> None:
    text = text_of(source(id="a-page"))
    given = {"name": "mine", "text": text, "sha256": checked(operator, text)["sha256"]}
    changed = {**given, "text": text_of(source(id="a-page", name="Changed"))}
    assert operator.post("/api/v1/manifests/activate", json=changed).json()["error"]["code"] == "refused"
    assert viewer.post("/api/v1/manifests/activate", json=given).status_code == 403
    assert viewer.post("/api/v1/manifests/versions/1/activate").status_code == 403
    assert operator.post("/api/v1/manifests/versions/1/activate").json()["error"]["code"] == "unknown_manifest_version"
    assert operator.get("/api/v1/manifests/versions/1/text").status_code == 404
    assert operator.get("/api/v1/manifests/none/versions").json()["error"]["code"] == "unknown_manifest"


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_packaged_manifest_is_active_at_first(viewer: TestClient) -> None:
    found = viewer.get("/api/v1/manifests").json()
    (row,) = found["items"]
    packaged = load_packaged("fthb")
    assert (row["name"], row["origin"], row["sha256"]) == ("fthb", "packaged", packaged.sha256)
    assert (row["version_id"], row["versions"], found["fixed"]) == (None, 0, False)
    assert viewer.get("/api/v1/manifests/fthb/versions").json() == {"items": [], "total": 0}


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_explicit_file_wins(
    operator: TestClient, served: AppState, tmp_path: Path, database_url: str
) -> None:
    file = tmp_path / "fixed.json"
    file.write_text(text_of(source(id="a-page")), encoding="utf-8")
    served.places = Locations(manifests=(file,), staging=served.places.staging, database_url=database_url)
    found = operator.get("/api/v1/manifests").json()
    assert found["fixed"] is True and str(file) in found["fixed_why"]
    assert (found["items"][0]["origin"], found["items"][0]["path"]) == ("file", str(file))
    text = text_of(source(id="b-page"))
    sha256 = checked(operator, text)["sha256"]
    answer = operator.post("/api/v1/manifests/activate", json={"name": "mine", "text": text, "sha256": sha256})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "refused")
    assert "RORI_MANIFEST" in answer.json()["error"]["message"]
    assert operator.post("/api/v1/manifests/versions/1/activate").status_code == 409


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_manifests_possible_secret_is_masked(operator: TestClient) -> None:
    first = source(
        id="a-page", scrape_config={"custom_headers": {"X-Site": "hush", "X-Key": {"env": "RORI_HEADER_SITE_KEY"}}}
    )
    activated(operator, text_of(first))
    shown = operator.get("/api/v1/sources/a-page").json()["fields"]["scrape_config"]["custom_headers"]
    assert shown["X-Key"] == {"env": "RORI_HEADER_SITE_KEY"} and shown["X-Site"] != "hush"
    told = checked(operator, text_of(source(id="a-page")))
    assert "hush" not in json.dumps(told) and told["difference"]
