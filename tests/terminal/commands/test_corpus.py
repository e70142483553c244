"""``scrapy corpus``: a site from its collection to versions and an index, twice, with edits, removals and overrides."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.monitor.application.app import create_app
from rori_spiders.monitor.corpus.webhook import NOTHING_TO_DO
from rori_spiders.monitor.state.dependencies import AppState
from rori_spiders.reasons import Reason
from tests.support.project import Project, is_soon, source
from tests.support.webhooks import sign

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from subprocess import CompletedProcess

    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl

RULES = 8


def page(name: str, fee: int = 25) -> str:
    told = "".join(
        f"<p>The {name} fee is ${fee + one} for each of the {one + 2} statements that a lender sends by mail.</p>"
        for one in range(8)
    )
    return f"<html><head><title>Rule {name}</title></head><body><main><h1>Rule {name}</h1>{told}</main></body></html>"


class Corpus:
    """A project with a collected site, and what its commands say. *made* gives the page of a name."""

    def __init__(
        self, folder: Path, site: Site, made: Callable[[str], str] = page, env: Mapping[str, str] | None = None
    ) -> None:
        self.site = site
        self.project = Project(folder)
        self.project.env |= env or {}
        self.index = folder / "index.db"
        self.project.env["RORI_CORPUS_LOADER"] = f"{self.project.python} -m rori_spiders.corpus.loader {self.index}"
        self.links = [f"/rules/{number}.html" for number in range(RULES)] + [
            "/events/spring.html",
            "/blog/2019/05/a.html",
        ]
        for link in self.links:
            site.page(link, made(link.split("/")[-1].partition(".")[0]))
        self.domain = "127.0.0.1"
        self.collect(first=True)

    def collect(self, *, first: bool = False, **env: str) -> str:
        told = "This guide says what each of the rules asks of a lender. " * 20
        items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in self.links)
        self.site.page("/index.html", f"<main><h1>Rules</h1><p>{told}</p><ul>{items}</ul></main>")
        if first:
            one = source("rules", self.site.at("/index.html"), method="crawl", scrape_config={"follow_links": True})
            self.domain = one["domain"]
            self.project.manifest([one], delay_s=0.01)
        done = self.project.scrapy("collect", "--source", "rules", "--force", env=env)
        assert "1 of 1 sources complete" in done.stdout, done.stdout + done.stderr
        return done.stdout + done.stderr

    def alerts(self) -> list[tuple[str, str]]:
        done = self.project.scrapy("alerts", "--format", "json")
        return [(one["event"], one["message"]) for one in json.loads(done.stdout)]

    def served(self) -> AppState:
        """The project as the monitor serves it; close it."""
        values = {name: value for name, value in vars(settings).items() if name.isupper()}
        places = Locations((), str(self.project.staging), f"sqlite:///{self.project.ledger}", ("127.0.0.0/8",))
        return AppState(places, values, self.project.folder)

    def state(self) -> str:
        """Of its newest run."""
        done = self.project.scrapy("corpus", "status", self.domain, "--limit", "1", "--format", "json")
        [row] = json.loads(done.stdout)
        return str(row["state"])

    def does(self, verb: str, *options: str, code: int = 0, **env: str) -> str:
        done: CompletedProcess[str] = self.project.scrapy("corpus", verb, self.domain, *options, env=env)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def rows(self, *options: str) -> dict[str, dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.does("review", "--format", "json", *options))
        return {re.sub(r"^https?://[^/]*", "", row["url"]): row for row in found}

    def url(self, path: str) -> str:
        return self.site.at(path)

    def latest(self) -> dict[str, Any]:
        below = self.project.staging / "domains" / self.domain / "corpora"
        number = json.loads((below / "latest.json").read_text())["version"]
        manifest: dict[str, Any] = json.loads((below / f"v{number}" / "manifest.json").read_text())
        for one in manifest["pages"]:
            assert (below / f"v{number}" / one["path"]).is_file()
        return manifest

    def paths(self) -> set[str]:
        return {re.sub(r"^https?://[^/]*", "", one["source_url"]) for one in self.latest()["pages"]}

    def approve_all(self) -> None:
        waiting = self.rows("--decision", "include", "--review-state", "open").items()
        held = [f"--approve-page={self.url(path)}" for path, row in waiting if row["gate"] == "needs_review"]
        self.does("review", "--approve-publishable", "--reason", "read it", *held)
        self.does("approve")

    def no_drift(self) -> None:
        """What the index holds is what the latest version says."""
        env = {"TENANT_ID": self.domain}
        command = [self.project.python, "-m", "rori_spiders.corpus.loader", str(self.index), "--list"]
        held = subprocess.run(command, env=self.project.env | env, capture_output=True, text=True, check=True)
        done = self.project.scrapy("corpus", "reconcile", self.domain, "-", stdin=held.stdout)
        assert done.returncode == 0 and "No drift" in done.stdout, done.stdout + done.stderr


@pytest.fixture
def corpus(tmp_path: Path, site: Site) -> Corpus:
    return Corpus(tmp_path, site)


def test_corpus_site_passes_all_states_twice(corpus: Corpus) -> None:
    said = corpus.does("run")
    assert "ready_for_review" in said
    rows = corpus.rows()
    assert rows["/events/spring.html"]["decision"] == "exclude" and rows["/events/spring.html"]["rule"] == "events"
    assert rows["/blog/2019/05/a.html"]["rule"] == "old news"
    assert {path for path, row in rows.items() if row["decision"] == "include"} == {
        "/index.html", *(f"/rules/{number}.html" for number in range(RULES)),
    }  # fmt: skip
    assert "texts reviewed" in corpus.does("approve", code=2)
    corpus.does("review", "--exclude", corpus.url("/rules/3.html"), "--reason", "not ours")
    corpus.approve_all()
    broken = {"RORI_CORPUS_LOADER": "false"}
    assert "version 1, 8 pages, 0 tombstones" in corpus.does("publish", code=1, **broken)
    assert "Loader: failed: exit code 1" in corpus.does("load", code=1, **broken)
    assert "Loader: done" in corpus.does("load")
    first = corpus.paths()
    assert len(first) == 8 and "/rules/3.html" not in first
    corpus.no_drift()
    assert "no changes since" in corpus.does("delta")

    # The site changes: a fee, and its list, from which one rule goes (it is still there) and to which one comes.
    corpus.site.page("/rules/1.html", page("1", fee=26))
    corpus.site.page("/rules/new.html", page("new"))
    corpus.links = [*(link for link in corpus.links if link != "/rules/2.html"), "/rules/new.html"]
    said = corpus.collect()
    draft = f"draft of the corpus of {corpus.domain}"
    assert f"A {draft}: 2 pages changed, 1 page new of 8 published" in said and "ready_for_review" in said
    [(event, message)] = corpus.alerts()
    assert event == "corpus_draft" and message.startswith(f"A {draft} awaits review")
    # ... and once more, while the draft waits.
    corpus.site.page("/rules/4.html", page("4", fee=30))
    assert f"A {draft}: 1 page changed" in corpus.collect()
    rows = corpus.rows()
    assert {path: row["rule"] for path, row in rows.items()} == {
        "/rules/1.html": "changed", "/rules/4.html": "changed", "/index.html": "changed",
        "/rules/new.html": "reviewed source",
    }  # fmt: skip
    assert all(row["review"] is None for row in rows.values()), "a new text takes another look"
    corpus.does("review", "--exclude", corpus.url("/index.html"), "--reason", "only a list")
    corpus.approve_all()
    assert corpus.alerts() == []
    assert "more than a third. Check whether the site was redesigned" in corpus.does("publish", code=2)
    assert "version 2, 8 pages, 1 tombstones" in corpus.does("publish", "--reason", "fees of the new year")
    assert corpus.paths() == (first | {"/rules/new.html"}) - {"/index.html"}
    corpus.no_drift()

    # A full run: what a person said holds, what was approved stays approved.
    corpus.does("run")
    rows = corpus.rows("--decision", "include")
    assert "/index.html" not in rows and "/rules/3.html" not in rows
    assert {row["review"] for row in rows.values()} == {"approved"}
    corpus.does("approve")
    assert "version 3, 8 pages, 1 tombstones" in corpus.does("publish")
    changed = [one for one in corpus.latest()["pages"] if one["state"] != "unchanged"]
    assert changed == [], "the texts are the same: a loader has nothing to do"

    assert "version 4, the pages of version 1" in corpus.does(
        "rollback", "1", "--reason", "the new rule was not in force"
    )
    assert corpus.paths() == first
    corpus.no_drift()
    assert "3 pages changed, 1 page new of 8 published" in corpus.does("delta"), "what was taken back is new again"
    verified = corpus.project.scrapy("verify")
    assert verified.returncode == 0 and "4 corpus versions" in verified.stdout, verified.stdout


def test_corpus_dispatcher_follows_and_reports_unreadable_rules(corpus: Corpus) -> None:
    corpus.does("run")
    corpus.approve_all()
    corpus.does("publish")
    corpus.site.page("/rules/5.html", page("5", fee=40))
    assert "draft" not in corpus.collect(RORI_CORPUS_AUTO_DRAFT="0") and corpus.state() == "published"
    assert corpus.project.scrapy("dispatch", "--once").returncode == 0
    assert is_soon(lambda: corpus.state() == "ready_for_review"), corpus.state()
    assert list(corpus.rows()) == ["/rules/5.html"]
    [log] = (corpus.project.folder / "collect" / "corpus").glob("*.log")
    assert "ready_for_review" in log.read_text()
    corpus.does("cancel", "--reason", "not yet")
    assert corpus.alerts() == []

    latest = corpus.project.staging / "domains" / corpus.domain / "corpora" / "latest.json"
    whole = latest.read_text()
    latest.write_text("{")
    said = corpus.collect()
    assert f"No corpus drafts started: {corpus.domain}: " in said and "latest.json" in said
    latest.write_text(whole)
    assert "1 page changed of 9 published" in corpus.collect(), "what could not be looked at is looked at again"


def test_corpus_second_run_after_cancelled_one(corpus: Corpus) -> None:
    corpus.does("map")
    assert "has an open run" in corpus.does("map", "--source", "rules", code=2)
    assert "a reason is required" in corpus.does("cancel", code=2)
    [run] = json.loads(corpus.project.scrapy("corpus", "status", "--format", "json").stdout)
    assert "cannot be combined with --source" in corpus.does("run", "--run", run["run_id"], "--without-model", code=2)
    assert ": scraping" in corpus.does("triage", "--run", run["run_id"])
    corpus.does("cancel", "--reason", "wrong rules")
    assert "has ended: cancelled, wrong rules" in corpus.does("run", "--run", run["run_id"], code=2)
    assert "no open corpus run" in corpus.does("review", code=2)
    assert "has no published version: scrapy corpus run" in corpus.does("delta", code=2)
    listed = json.loads(corpus.project.scrapy("corpus", "status", "--format", "json").stdout)
    assert [(row["state"], row["says"]) for row in listed] == [("cancelled", "wrong rules")]


def test_corpus_site_rules_are_read_problems_are_reported(corpus: Corpus) -> None:
    folder = corpus.project.folder / "corpora"
    folder.mkdir()
    file = folder / f"{corpus.domain}.yaml"
    file.write_text("triage: {recent: 3}\n", encoding="utf-8")
    assert f"{corpus.domain}.yaml: $.triage.recent" in corpus.does("run", code=2)
    file.write_text("triage: {exclude: ['/rules/1*']}\n", encoding="utf-8")
    corpus.does("triage", RORI_LLM_URL="http://127.0.0.1:9/v1", RORI_LLM_MODEL="m")
    assert "`map` is already done in this run. Continue with: scrapy corpus run" in corpus.does("map")
    assert corpus.state() == "scraping", "not one state further"
    assert "uses the model m: resume it without --without-model, or cancel it" in corpus.does(
        "run", "--without-model", code=2
    )
    rules = {path: row["rule"] for path, row in corpus.rows().items() if row["decision"] == "exclude"}
    assert rules["/rules/1.html"] == "exclude: /rules/1*"


def test_corpus_low_risk_draft_is_published_unattended_by_rule(corpus: Corpus) -> None:
    corpus.does("run")
    corpus.approve_all()
    corpus.does("publish")
    rules = corpus.project.folder / "corpora" / f"{corpus.domain}.yaml"
    rules.parent.mkdir()
    rules.write_text("unattended: {most_words: 4}\n", encoding="utf-8")
    written = page("1")
    corpus.site.page("/rules/1.html", written.replace("by mail", "by post", 1))
    said = corpus.collect()
    assert "version 2 published without review, as its site rules allow" in said and "Loader: done" in said
    corpus.no_drift()
    [changed] = [one for one in corpus.latest()["pages"] if one["state"] == "changed"]
    assert changed["source_url"] == corpus.url("/rules/1.html") and corpus.latest()["published_by"] == "policy"
    [(event, message)] = corpus.alerts()
    assert event == "corpus_unattended" and "Version 2" in message and "1 page changed of 9 published" in message

    # A figure, and what a person may not be kept from seeing: it waits, and says why.
    corpus.site.page("/rules/1.html", written.replace("$25", "$26", 1))
    said = corpus.collect()
    assert "Not published without review:" in said and "amount changed: $25 to $26" in said
    assert corpus.state() == "ready_for_review" and corpus.latest()["version"] == 2
    told = dict(corpus.alerts())
    assert set(told) == {"corpus_draft", "corpus_unattended"} and "amount changed: $25 to $26" in told["corpus_draft"]
    corpus.approve_all()
    corpus.does("publish")
    assert corpus.alerts() == [], "a person has published since"

    assert "no changes since the latest version" in corpus.does("delta")

    # Whoever takes the permission back is obeyed, though the last run knew it.
    rules.write_text("entity: FHA\n", encoding="utf-8")
    corpus.site.page("/rules/2.html", page("2").replace("by mail", "by post", 1))
    assert "without review" not in corpus.collect()
    assert "a run is in progress (ready_for_review)" in corpus.does("delta")


def test_corpus_signed_hook_starts_one_draft(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.does("run")
    monkeypatch.setenv("RORI_CORPUS_HOOK_SECRET", b64encode(b"k" * 32).decode())
    with closing(corpus.served()) as served:
        client = TestClient(create_app(served), base_url="http://localhost")

        def told() -> dict[str, Any]:
            said = json.dumps({"type": "corpus.changed", "data": {"domain": corpus.domain}}).encode()
            signed = sign(b"k" * 32, said)
            answer: dict[str, Any] = client.post("/hooks/corpus", content=said, headers=signed).json()
            return answer

        assert told()["error"]["message"] == f"{corpus.domain} has no published corpus."
        corpus.approve_all()
        corpus.does("publish")
        assert told() == {"domain": corpus.domain, "run_id": None, "says": NOTHING_TO_DO}
        corpus.site.page("/rules/5.html", page("5", fee=40))
        corpus.collect(RORI_CORPUS_AUTO_DRAFT="0")
        begun = told()
        assert begun["run_id"] and begun["says"] == "1 page changed of 9 published"
        assert told()["run_id"] is None, "it is begun once"
    assert corpus.state() == "page_triage"
    corpus.does("run")
    assert corpus.state() == "ready_for_review" and list(corpus.rows()) == ["/rules/5.html"]
    assert [event for event, _ in corpus.alerts()] == ["corpus_draft"], "nobody has asked for it"


def test_corpus_site_without_source_is_requested_by_url_only(site: Site, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.manifest([source("other", "https://www.example.gov/")], delay_s=0.01)
    refused = project.scrapy("corpus", "map", site.host)
    assert refused.returncode == 2 and f"--site https://{site.host}/" in refused.stderr, refused.stdout + refused.stderr
    elsewhere = project.scrapy("corpus", "map", site.host, "--site", "https://www.example.gov/")
    assert elsewhere.returncode == 2 and f"is not on {site.host}" in elsewhere.stderr
    assert site.log.hits() == []


def test_corpus_site_without_source_is_published(site: Site, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.manifest([source("other", site.at("/elsewhere"))], delay_s=0.01)
    links = [f"/rules/{number}.html" for number in range(4)]
    for link in links:
        site.page(link, page(link.split("/")[-1].partition(".")[0]))
    told = "This guide says what each of the rules asks of a lender. " * 20
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    site.page("/", f"<html lang=en><title>Rules</title><main><h1>Rules</h1><p>{told}</p><ul>{items}</ul></main></html>")
    site.robots("User-agent: *\nDisallow: /rules/3")
    unlinked = "/far/below/in/the/folders/unlinked.html"
    steps = [{"@type": "ListItem", "position": at, "name": name} for at, name in enumerate(("Home", "Far"), 1)]
    trail = json.dumps({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": steps})
    states = (
        "<head><meta name=description content='What no page links to.'>"
        f"<script type=application/ld+json>{trail}</script>"
    )
    site.page(unlinked, page("unlinked").replace("<head>", states))
    listed = f"<url><loc>{site.at(unlinked)}</loc><lastmod>2020-02-02</lastmod></url>"
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    site.page("/sitemap.xml", sitemap, content_type="application/xml")
    (tmp_path / "corpora").mkdir()
    rules = tmp_path / "corpora" / f"{site.host}.yaml"
    rules.write_text("triage: {default_decision: include}\n", encoding="utf-8")

    def does(verb: str, *options: str, code: int = 0) -> str:
        done = project.scrapy("corpus", verb, site.host, *options)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "ready_for_review, 6 pages known" in does("run", "--site", site.at("/"))
    rows = {row["url"]: row for row in json.loads(does("review", "--format", "json"))}
    assert {url for url, row in rows.items() if row["got"] == "fetched"} == {*map(site.at, ("/", unlinked, *links[:3]))}
    text = does("review", "--text", site.at(unlinked))
    assert 'description: "What no page links to."' in text and 'breadcrumbs: "Home > Far"' in text
    assert "published_at" not in text, "the sitemap knows when it changed, nobody when it was published"
    assert rows[site.at(links[3])]["reason"].endswith(Reason("robots_disallowed"))
    does("review", "--approve-publishable", "--reason", "read it")
    does("approve")
    assert "version 1, 5 pages" in does("publish")
    assert site.log.hits(links[3]) == [], "nobody has asked for it"
    assert "so changes are unknown" in does("delta", code=2)


def test_corpus_of_named_sources_spans_two_sites(sites: Callable[[int], list[Site]], tmp_path: Path) -> None:
    one, other = sites(2)
    project = Project(tmp_path)
    for site in (one, other):
        for number in range(3):
            named = f"{'Late' if site is one else 'Other'} {number} | {site.host}"
            site.page(f"/rules/{number}.html", page(named))
        links = "".join(f'<li><a href="/rules/{number}.html">{number}</a></li>' for number in range(3))
        told = "This guide says what each of the rules asks of a lender. " * 20
        site.page("/index.html", f"<main><h1>Rules of {site.host}</h1><p>{told}</p><ul>{links}</ul></main>")
    other.page("/elsewhere.html", page("Elsewhere"))
    crawl: dict[str, Any] = {"method": "crawl", "scrape_config": {"follow_links": True}}
    listed = [
        source("a", one.at("/index.html"), metadata={"agency": "CFPB"}, **crawl),
        source("b", other.at("/index.html"), category="hud", **crawl),
        source("c", other.at("/elsewhere.html"), category="cfpb"),
    ]
    project.manifest(listed, delay_s=0.01)
    (tmp_path / "corpora").mkdir()
    rules = tmp_path / "corpora" / "fthb.yaml"
    rules.write_text("sources:\n  agencies: [cfpb]\n  categories: [hud]\n", encoding="utf-8")

    def does(verb: str, *options: str, code: int = 0) -> str:
        done = project.scrapy("corpus", verb, "fthb", *options)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def hosts() -> list[str]:
        below = tmp_path / "collect" / "staged" / "domains" / "fthb" / "corpora"
        number = json.loads((below / "latest.json").read_text())["version"]
        pages = json.loads((below / f"v{number}" / "manifest.json").read_text())["pages"]
        return sorted(re.sub(r"^https?://([^:/]*).*", r"\1", one["source_url"]) for one in pages)

    assert project.scrapy("collect", "--force").returncode == 0
    does("run")
    held = [row["url"] for row in json.loads(does("review", "--gate", "needs_review", "--format", "json"))]
    does("review", "--approve-publishable", "--reason", "read", *(f"--approve-page={url}" for url in held))
    does("approve")
    assert "version 1, 8 pages, 0 tombstones" in does("publish")
    both = sorted([one.host, other.host] * 4)
    assert hosts() == both

    # The set loses its second site, then takes it back by a rollback.
    rules.write_text("sources: {ids: [a]}\n", encoding="utf-8")
    assert "! 4 pages of the latest version that no source of this run lists would be removed: http" in does("run")
    does("approve")
    assert "nobody has seen them gone" in does("publish", code=2)
    assert "version 2, 4 pages, 4 tombstones" in does("publish", "--reason", "without the other site")
    assert hosts() == [one.host] * 4
    assert "version 3, the pages of version 1" in does("rollback", "1", "--reason", "it belongs to it")
    assert hosts() == both


@pytest.mark.parametrize("domain", ["../etc", "a b", "", "x" * 300])
def test_corpus_invalid_domain_is_refused(tmp_path: Path, domain: str) -> None:
    project = Project(tmp_path)
    done = project.scrapy("corpus", "run", domain)
    assert done.returncode == 2 and "is not a valid domain" in done.stderr
