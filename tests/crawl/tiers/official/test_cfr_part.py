"""A part of the CFR is collected by sections and appendices, and read again only when its versions say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.official.cfr_part import PartPlace, parse_versions, split_part
from tests.crawl.tiers.official import publishers as p
from tests.crawl.tiers.official.publishers import ECFR, Publishers
from tests.crawl.tiers.official.stand_ins import CfrPart
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_APPENDIX = "/appendix-Appendix%20A%20to%20Part%201024"
_WITHIN = (("chapter", "X"),)


class Collected:
    """A part that one project collects again and again, while it changes."""

    source_id = "reg-x"

    def __init__(self, project: Project, site: Site, method: str = "crawl", **config: object) -> None:
        self.publishers, self.project, self.left = Publishers(site), project, CrawlOutput(project)
        self.part = CfrPart(site, within=_WITHIN)
        at = self.publishers.at(ECFR, self.part.path)
        project.manifest([source("reg-x", at, method, scrape_config=config)], domains=self.publishers.domains())

    def collect(self) -> list[str]:
        """Collect once; gives what was asked of the API."""
        before = len(self.part.requested_paths())
        self.log = self.publishers.collect(self.project)
        return self.part.requested_paths()[before:]

    def states(self) -> dict[str, str]:
        """By what stands behind the part's path."""
        return {path.removeprefix(self.part.path): state for path, state in self.left.states("reg-x").items()}

    def staged(self) -> dict[str, str]:
        """The newest text of each page, by what stands behind the part's path."""
        found = self.left.envelopes()
        at = self.publishers.at(ECFR, self.part.path)
        return {one["source"]["url"].removeprefix(at): one["content"]["body"] for one in found}

    def day_passes(self) -> None:
        """Everything that the ledger knows of pages that are missing was two days ago."""
        self.left.change(
            "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"
        )


SECTIONS = {"/section-1024.1", "/section-1024.2", "/section-1024.5", _APPENDIX}


@pytest.fixture
def collected(project: Project, site: Site) -> Collected:
    return Collected(project, site)


def test_cfr_part_sections_appendices_and_front_are_pages(collected: Collected) -> None:
    assert collected.collect() == ["titles.json", "versions", "full"]
    staged = collected.staged()
    assert staged.keys() == {"", *SECTIONS}, collected.log
    assert staged["/section-1024.5"].startswith("# § 1024.5 Coverage of RESPA.")
    assert "Line 101" in staged[_APPENDIX]
    assert "12 U.S.C. 2603" in staged[""]
    assert "Subpart A" in staged[""]
    assert "text of section" not in staged[""]
    assert collected.left.last_run("reg-x")["state"] == "complete"
    one = collected.left.envelope(f"{collected.part.path}/section-1024.5")
    assert one["page_metadata"]["citation"] == "12 CFR 1024.5"
    assert (one["page_metadata"]["effective_date"], one["page_metadata"]["issue_date"]) == ("2017-01-01", "2017-01-01")
    assert one["scrape"]["engine"] == "official"
    assert one["content"]["body_html"].encode() in collected.part.xml().replace(b"\n<DIV5", b"<DIV5") or (
        one["content"]["body_html"].split("\n", 1)[1].encode() in collected.part.xml()
    )
    appendix = collected.left.envelope(f"{collected.part.path}{_APPENDIX}")
    assert appendix["page_metadata"]["citation"] == "12 CFR Part 1024, Appendix A"
    collected.left.assert_sums()
    collected.left.assert_verified()


def test_cfr_part_without_new_version_is_not_requested(collected: Collected) -> None:
    collected.collect()
    collected.part.publish("2026-11-18")
    assert collected.collect() == ["titles.json", "versions"]
    assert set(collected.states().values()) == {"unchanged"}
    assert collected.states().keys() == {"", *SECTIONS}
    reason = collected.left.urls("reg-x")[f"{collected.part.path}/section-1024.5"][1]
    assert reason.code == "same_versions"
    assert collected.left.last_run("reg-x")["state"] == "complete"
    collected.left.assert_sums()


def test_cfr_part_amended_section_is_modified_and_others_unchanged(collected: Collected) -> None:
    collected.collect()
    text = "(a) This is the text of section 5, which says what a lender must do."
    collected.part.amend("1024.5", "§ 1024.5   Coverage of RESPA.", text, day="2026-11-18")
    collected.part.publish("2026-11-19")
    assert collected.collect() == ["titles.json", "versions", "full"]
    states = collected.states()
    assert states.pop("/section-1024.5") == "captured"
    assert set(states.values()) == {"unchanged"}
    [first, second] = [one for one in collected.left.envelopes() if one["source"]["url"].endswith("1024.5")]
    assert (first["integrity"]["change_type"], second["integrity"]["change_type"]) == ("new", "modified")
    assert second["page_metadata"]["effective_date"] == "2026-11-18"
    collected.part.publish("2026-11-20")
    assert collected.collect() == ["titles.json", "versions", "full"]  # read once more: a cache may have been behind
    assert collected.collect() == ["titles.json", "versions"]


def test_cfr_part_confirmed_for_a_month_is_read_whole(collected: Collected) -> None:
    collected.collect()
    collected.left.change("UPDATE page_validators SET seen_at = '2026-01-01T00:00:00.000000Z'")
    assert collected.collect() == ["titles.json", "versions", "full"]
    assert collected.collect() == ["titles.json", "versions"]


def test_cfr_part_text_behind_its_versions_is_read_again(collected: Collected) -> None:
    collected.collect()
    stale = collected.part.xml()
    text = "(a) This is the text of section 5, which says what a lender must do."
    collected.part.amend("1024.5", "§ 1024.5   Coverage of RESPA.", text, day="2026-11-18")
    collected.part.publish("2026-11-18")
    collected.part.serve(stale)
    collected.collect()
    assert set(collected.states().values()) == {"unchanged"}
    collected.part.publish("2026-11-19")
    collected.collect()
    assert collected.states()["/section-1024.5"] == "captured"


def test_cfr_part_as_of_earlier_day_than_held_is_refused(collected: Collected) -> None:
    collected.collect()
    text = "(a) This is the text of section 5, which says what a lender must do."
    old, old_versions = dict(collected.part.texts), list(collected.part.versions)
    collected.part.amend("1024.5", "§ 1024.5   Coverage of RESPA.", text, day="2026-11-20")
    collected.part.publish("2026-11-20")
    collected.collect()
    collected.part.texts, collected.part.versions = old, old_versions
    collected.part.publish("2026-11-19")
    collected.collect()
    run = collected.left.last_run("reg-x")
    assert run["state"] == "failed"
    assert "as of 2026-11-19, before 2026-11-20" in run["reason"]
    assert len([one for one in collected.left.envelopes() if one["source"]["url"].endswith("1024.5")]) == 2


def test_cfr_section_as_of_earlier_day_than_held_is_held(project: Project, site: Site) -> None:
    publishers, output = Publishers(site), CrawlOutput(project)
    project.manifest([source("a", publishers.at(ECFR, p.SECTION))], domains=publishers.domains())
    publishers.collect(project)
    publishers.json(p.TITLES, {"titles": [{"number": 1, "up_to_date_as_of": "2026-11-18"}]})
    xml = p.text("ecfr-title-1-section-2.5.xml").replace(b"Code of Federal", b"former Code of Federal")
    site.page(p.FULL.replace(p.DAY, "2026-11-18") + "?part=2&section=2.5", xml, content_type="application/xml")
    publishers.collect(project)
    state, reason = output.urls("a")[p.SECTION]
    assert (state, reason.code) == ("failed", "older_edition")
    assert "as of 2026-11-18, the stored one is as of 2026-11-19" in str(reason)
    output.assert_verified()


def test_cfr_part_as_of_day_to_come_is_refused(collected: Collected) -> None:
    collected.part.publish("2199-01-01")
    collected.collect()
    run = collected.left.last_run("reg-x")
    assert (run["state"], "which is to come" in run["reason"]) == ("failed", True)
    assert collected.left.index() == []


def test_cfr_part_removed_section_is_gone_on_second_run(collected: Collected) -> None:
    collected.collect()
    collected.part.amend("1024.2", "§ 1024.2   Definitions.", "", day="2026-11-18", removed=True)
    collected.part.publish("2026-11-19")
    collected.collect()
    state, reason = collected.left.urls("reg-x")[f"{collected.part.path}/section-1024.2"]
    assert (state, reason.code) == ("failed", "not_found")
    collected.day_passes()
    assert collected.collect()[:2] == ["titles.json", "versions"]
    assert collected.states()["/section-1024.2"] == "gone"
    assert collected.states()["/section-1024.1"] == "unchanged"
    collected.left.assert_verified()


def test_cfr_part_truncated_xml_fails_and_stages_nothing(collected: Collected) -> None:
    whole = collected.part.xml()
    collected.part.serve(whole[: whole.index(b"1024.5")])
    collected.collect()
    run = collected.left.last_run("reg-x")
    assert (run["state"], run["reason_code"]) == ("failed", "pages_unknown")
    assert "breaks off" in run["reason"]
    assert not collected.left.index()
    collected.part.serve(whole)
    collected.collect()
    assert collected.left.last_run("reg-x")["state"] == "complete"
    assert collected.staged().keys() == {"", *SECTIONS}


def test_cfr_part_broken_xml_leaves_held_pages_unchanged(collected: Collected) -> None:
    collected.collect()
    collected.part.amend("1024.5", "§ 1024.5   Coverage.", "(a) Something else altogether.", day="2026-11-18")
    collected.part.publish("2026-11-19")
    collected.part.serve(collected.part.xml()[:-20])
    collected.collect()
    assert collected.left.last_run("reg-x")["state"] == "failed"
    assert "unchanged" not in collected.states().values()
    assert len(collected.left.index()) == 5


def test_cfr_part_without_section_of_versions_is_incomplete(collected: Collected) -> None:
    del collected.part.texts["1024.2"]
    collected.part.publish()
    collected.collect()
    run = collected.left.last_run("reg-x")
    assert (run["state"], run["reason_code"]) == ("incomplete", "pages_unknown")
    assert "1024.2" in run["reason"]


def test_cfr_part_without_versions_is_read(collected: Collected) -> None:
    collected.collect()
    versions_path = next(hit.path for hit in collected.part.site.log.hits() if "/versions/" in hit.path)
    collected.part.site.status(versions_path, 404)
    assert collected.collect() == ["titles.json", "versions", "full"]
    assert set(collected.states().values()) == {"unchanged"}
    assert collected.left.last_run("reg-x")["state"] == "complete"


@pytest.mark.parametrize(
    ("words", "state"), [("Settlement Procedures Act", "complete"), ("Truth in Lending", "failed")]
)
def test_cfr_part_single_page_source_is_list_with_expectations(
    project: Project, site: Site, words: str, state: str
) -> None:
    collected = Collected(project, site, "scrape", max_depth=0, expect={"must_contain": [words], "why": "its heading"})
    collected.collect()
    assert collected.left.last_run("reg-x")["state"] == state
    assert len(collected.left.index()) == (5 if state == "complete" else 0)
    assert words in collected.log or state == "complete"


def test_cfr_part_blocked_text_fails_run(collected: Collected) -> None:
    collected.part.serve(p.WALL)
    collected.collect()
    assert collected.left.last_run("reg-x")["state"] == "failed"
    assert not collected.left.index()


def test_cfr_part_respects_robots_txt(collected: Collected) -> None:
    collected.part.site.robots("User-agent: *\nDisallow: /current/\n")
    assert collected.collect() == []
    run = collected.left.last_run("reg-x")
    assert run["state"] == "failed"
    assert "robots.txt" in run["reason"]


def test_cfr_part_without_official_tier_requests_nothing(collected: Collected) -> None:
    collected.publishers.collect(collected.project, RORI_TIERS="http")
    assert collected.left.last_run("reg-x")["state"] == "failed"
    assert collected.part.requested_paths() == []


@pytest.mark.parametrize("method", ["scrape", "crawl"])
def test_cfr_part_map_names_sections_without_collecting(project: Project, site: Site, method: str) -> None:
    collected = Collected(project, site, method)
    resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
    mapped = project.scrapy("map", "reg-x", "-s", resolver, env=collected.publishers.env())
    assert "5 pages: 5 would be collected" in mapped.stdout, mapped.stdout + mapped.stderr
    assert "3 lists of the API" in mapped.stdout
    assert not collected.left.rows("SELECT * FROM leases WHERE owner IS NOT NULL")
    assert not collected.left.runs()


# --- the steps -------------------------------------------------------------------------------------------------------


def test_cfr_part_cuts_are_received_bytes() -> None:
    xml = p.text("ecfr-title-1-part-2.xml")
    made = split_part(xml, "2")
    assert [place.name for place in made.sections] == ["2.1", "2.2", "2.3", "2.4", "2.5", "2.6"]
    head = xml[: xml.index(b"<DIV5")]
    cuts = [body.removeprefix(head) for body in made.sections.values()]
    assert all(cut in xml for cut in cuts)
    assert len(made.front) + sum(map(len, cuts)) == len(xml.rstrip())


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"<DIV5 N='2' TYPE='PART'><DIV8 N='2.1' TYPE='SECTION'>",
        b"<DIV5 N='3' TYPE='PART'/>",
        b"<html><body>DIV5</body></html>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><DIV5 N='2' TYPE='PART'>&b;</DIV5>",
    ],
)
def test_cfr_part_incomplete_xml_is_refused(xml: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        split_part(xml, "2")


def test_cfr_part_empty_and_repeated_sections_lose_nothing() -> None:
    xml = (
        b'<DIV5 N="2" TYPE="PART"><DIV8 N="2.1" TYPE="SECTION"/>'
        b'<DIV8 N="2.2" TYPE="SECTION">a</DIV8><DIV8 N="2.2" TYPE="SECTION">b</DIV8></DIV5>'
    )
    made = split_part(xml, "2")
    assert made.sections[PartPlace("section", "2.1")] == b'<DIV8 N="2.1" TYPE="SECTION"/>'
    assert made.sections[PartPlace("section", "2.2")] == b'<DIV8 N="2.2" TYPE="SECTION">a</DIV8>'
    assert made.front == b'<DIV5 N="2" TYPE="PART"><DIV8 N="2.2" TYPE="SECTION">b</DIV8></DIV5>'


def test_cfr_part_incomplete_version_list_has_no_state_id() -> None:
    entry = '{"identifier": "2.1", "type": "section", "issue_date": "2024-01-01", "date": "2024-01-01"}'
    whole = parse_versions(f'{{"content_versions": [{entry}], "meta": {{"result_count": "1"}}}}'.encode())
    assert whole.state_id
    assert whole.places == (PartPlace("section", "2.1"),)
    cut = parse_versions(f'{{"content_versions": [{entry}], "meta": {{"result_count": "1001"}}}}'.encode())
    assert not cut.state_id
    assert not parse_versions(b'{"content_versions": []}').state_id
    with pytest.raises(ValueError, match="versions"):
        parse_versions(b"{}")


class Chapter:
    """A chapter of two parts that one project collects again and again."""

    path = "/current/title-12/chapter-X"

    def __init__(self, project: Project, site: Site, **config: object) -> None:
        self.publishers, self.project, self.left = Publishers(site), project, CrawlOutput(project)
        self.parts = [CfrPart(site, part=number, within=_WITHIN) for number in ("1024", "1026")]
        self.publish(self.parts[0].day)
        at = self.publishers.at(ECFR, self.path)
        project.manifest([source("chapter", at, "crawl", scrape_config=config)], domains=self.publishers.domains())

    def publish(self, day: str) -> None:
        for part in self.parts:
            part.publish(day)
        parts = [{"type": "part", "identifier": one.part, "label": f"Part {one.part}"} for one in self.parts]
        reserved = {"type": "part", "identifier": "1027", "label": "Part 1027 [Reserved]", "reserved": True}
        chapter = {"type": "chapter", "identifier": "X", "label": "Chapter X", "children": [*parts, reserved]}
        title = {"type": "title", "identifier": "12", "label": "Title 12", "children": [chapter]}
        self.publishers.json(f"/api/versioner/v1/structure/{day}/title-12.json", title)

    def collect(self) -> list[str]:
        before = len(self.parts[0].requested_paths())
        self.log = self.publishers.collect(self.project)
        return sorted(self.parts[0].requested_paths()[before:])

    @property
    def pages(self) -> set[str]:
        found = {f"{part.path}{below}" for part in self.parts for below in ("", "/section-PART.1", "/section-PART.2")}
        found |= {f"{part.path}/section-{part.part}.5" for part in self.parts}
        found |= {f"{part.path}/appendix-Appendix%20A%20to%20Part%20{part.part}" for part in self.parts}
        return {self.path, *(one.replace("PART", one.split("part-")[1][:4]) for one in found)}


def test_cfr_chapter_is_collected_by_part_and_section(project: Project, site: Site) -> None:
    chapter = Chapter(project, site, expect={"must_contain": ["Part 1024"], "why": "its table of contents"})
    assert chapter.collect() == ["full", "full", "structure", "titles.json", "versions", "versions"]
    assert chapter.left.states("chapter") == dict.fromkeys(chapter.pages, "captured"), chapter.log
    assert chapter.left.last_run("chapter")["state"] == "complete"
    assert chapter.left.envelope(chapter.path)["content"]["body"].startswith("# Chapter X")
    one = chapter.left.envelope(f"{chapter.parts[1].path}/section-1026.5")
    assert one["page_metadata"]["citation"] == "12 CFR 1026.5"

    # Only the part that was amended is read again.
    text = "(a) This is the text of section 5, which says what a lender must do."
    chapter.parts[1].amend("1026.5", "§ 1026.5   Coverage of RESPA.", text, day="2026-11-18")
    chapter.publish("2026-11-19")
    assert chapter.collect() == ["full", "structure", "titles.json", "versions", "versions"]
    assert chapter.left.in_state("chapter", "captured") == {f"{chapter.parts[1].path}/section-1026.5"}
    assert chapter.left.states("chapter").keys() == chapter.pages
    chapter.left.assert_sums()
    chapter.left.assert_verified()


def test_cfr_chapter_patterns_select_parts(project: Project, site: Site) -> None:
    chapter = Chapter(project, site, include_patterns=["/current/title-12/chapter-X/part-1026*"])
    assert chapter.collect() == ["full", "structure", "titles.json", "versions"]
    states = chapter.left.states("chapter")
    assert states.pop(chapter.parts[0].path) == "excluded"
    assert states == dict.fromkeys({one for one in chapter.pages if "part-1024" not in one}, "captured")


def test_cfr_chapter_with_truncated_part_is_incomplete(project: Project, site: Site) -> None:
    chapter = Chapter(project, site)
    chapter.parts[0].serve(chapter.parts[0].xml()[:700])
    chapter.collect()
    assert chapter.left.last_run("chapter")["state"] == "incomplete"
    assert not [one for one in chapter.left.states("chapter") if "part-1024" in one]
    assert f"{chapter.parts[1].path}/section-1026.5" in chapter.left.in_state("chapter", "captured")


def test_cfr_chapter_missing_in_title_fails_run(project: Project, site: Site) -> None:
    chapter = Chapter(project, site)
    empty = {"type": "title", "identifier": "12", "label": "Title 12", "children": []}
    chapter.publishers.json(f"/api/versioner/v1/structure/{chapter.parts[0].day}/title-12.json", empty)
    chapter.collect()
    run = chapter.left.last_run("chapter")
    assert run["state"] == "failed"
    assert "title 12 has no chapter X" in run["reason"]
