"""A reviewer's session, timed: `python -m benchmarks.review_session PAGES [--count 100]`.

PAGES has saved HTML pages. Each becomes a page of a run in ``ready_for_review``: its converted text, a document, one of
ten held by a gate. The same session is then held three times, each over a run of its own, and every page of it
approved: by a file of decisions, at a terminal (``review --interactive`` in a pty), and by the keys of the monitor's
page in Chromium. Printed are a person's acts, the processor time of our processes a page, and how long a person waits
for what an act shows: median and longest. 200 ms are felt.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.reading import body_of
from rori_spiders.content.convert import Converted, digest
from rori_spiders.corpus.documents.document import build_document, format_document
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.disk.store import DiskStore
from tests.corpus.factories import DOMAIN, a_page, a_run, address
from tests.monitor.browser.serving import add_user, open_screen, serving, sign_in
from tests.support.project import Project, source

_PROMPT = b"[q]uit: "
_REASON = b"Reason: "
_TICKS = os.sysconf("SC_CLK_TCK")
_CHROMIUM = "/usr/bin/chromium"


def make_run(project: Project, pages: Sequence[tuple[str, str]]) -> str:
    """A run of these pages, the address and text of each, that waits for review; its id."""
    store = DiskStore(project.staging)
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger:
        run = a_run(ledger, state="ready_for_review")
        for number, (name, text) in enumerate(pages):
            document = build_document(
                text, title=f"Page {name}", description=None, language="en", source_url=address(name),
                source_subtype="web_page", doc_id=f"web_{number:08x}_{name}", run_id=run.run_id,
            )  # fmt: skip
            removed = '{"removals": [{"operation": "remove_boilerplate", "text": "Share this page"}]}'
            raw, draft, file = (
                store.put_object(one.encode())
                for one in (f"{text}\n\nShare this page\n", text, format_document(document))
            )
            finding = {"code": "thin", "severity": "review", "where": "", "says": "few words"}
            is_held = number % 10 == 9
            a_page(
                ledger, run, name, title=f"Page {name}", raw_object=raw, draft_object=draft, clean_object=draft,
                document_object=file, content_hash=document.front.content_hash,
                removals_object=store.put_object(removed.encode()),
                gate="needs_review" if is_held else "publishable", findings=[finding] if is_held else [],
            )  # fmt: skip
    return run.run_id


def read_pages(folder: Path, count: int) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in sorted(folder.iterdir()):
        if len(found) == count:
            break
        page = digest(body_of(path), url=f"https://{DOMAIN}/{len(found)}", content_type="text/html")
        if isinstance(page, Converted) and len(page.markdown) > 500:
            found.append((f"p{len(found):03}", page.markdown))
    return found


def report(name: str, acts: int, cpu_s: float, waits: Sequence[float], pages: int) -> None:
    longest = sorted(waits)[-3:]
    felt = sum(one > 0.2 for one in waits)
    print(
        f"| {name} | {acts} | {1000 * cpu_s / pages:.0f} ms | {1000 * median(waits):.0f} ms"
        f" | {', '.join(f'{1000 * one:.0f}' for one in longest)} ms | {felt} of {len(waits)} |",
        flush=True,
    )


def decide_by_file(project: Project, pages: int) -> None:
    """Export, fill in, take back: two commands."""
    env = {**project.env}
    before, waits = _children_cpu(), []
    begun = time.perf_counter()
    listed = _run_scrapy(project, env, "corpus", "review", DOMAIN, "--format", "csv")
    waits.append(time.perf_counter() - begun)
    rows = list(csv.DictReader(io.StringIO(listed)))
    for row in rows:
        row |= {"action": "approve", "action_reason": "read it: whole" if row["gate"] == "needs_review" else ""}
    file = project.folder / "decisions.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    begun = time.perf_counter()
    done = _run_scrapy(project, env, "corpus", "review", DOMAIN, "--decisions", str(file))
    waits.append(time.perf_counter() - begun)
    assert f"{pages} decisions applied, 0 refused" in done, done
    report("a file of decisions (two commands)", 2, _children_cpu() - before, waits, pages)


def _run_scrapy(project: Project, env: dict[str, str], *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", *args],
        cwd=project.folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def decide_at_terminal(project: Project, pages: int) -> None:
    """Each page approved by its key; those that are held with a reason."""
    before = _children_cpu()
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project.folder)
        command = [sys.executable, "-m", "scrapy", "corpus", "review", DOMAIN, "--interactive"]
        os.execve(sys.executable, command, {**project.env, "TERM": "xterm"})  # noqa: S606
    acts, waits = 0, []
    _read_until(terminal, _PROMPT)
    started = time.perf_counter() - begun
    for number in range(pages):
        is_last = number == pages - 1
        begun = time.perf_counter()
        os.write(terminal, b"a")
        acts += 1
        found = _read_until(terminal, _PROMPT, _REASON, b"decisions made")
        if found == _REASON:
            waits.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            os.write(terminal, b"read it: whole\n")
            acts += 1
            found = _read_until(terminal, _PROMPT, b"decisions made")
        assert (found == _PROMPT) != is_last
        waits.append(time.perf_counter() - begun)
    for _ in _output(terminal):
        pass
    os.waitpid(child, 0)
    report(f"`--interactive` (starts in {started:.1f} s)", acts, _children_cpu() - before, waits, pages)


def _output(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return
        if not data:
            return
        yield data


def _read_until(terminal: int, *ends: bytes) -> bytes:
    said = b""
    for data in _output(terminal):
        said = said[-2000:] + data
        if found := next(
            (end for end in ends if end in said[-2000:] and said.rstrip(b" ").endswith(end.rstrip(b" "))), None
        ):
            return found
        if ends[-1] == b"decisions made" and b"decisions made" in said:
            return ends[-1]
    raise AssertionError(said.decode(errors="replace"))


def decide_in_page(project: Project, run_id: str, pages: int) -> None:
    """From the first page's text on, ``a`` and Enter lead to the next page; a held page wants a reason."""
    add_user(project, "operator", "operator")
    with serving(project) as at, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        page = browser.new_context(base_url=at, viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        sign_in(page, "operator", f"/corpus/runs/{run_id}")
        served = _monitor_pids(at)
        cpu, acts, waits = _cpu_of(served), 0, []
        open_screen(page, f"/corpus/runs/{run_id}")
        begun = time.perf_counter()
        page.get_by_role("link", name="Page p000").first.click()
        _is_open(page, "Page p000")
        waits.append(time.perf_counter() - begun)
        for number in range(pages):
            page.keyboard.press("a")
            page.get_by_role("dialog").wait_for()
            if number % 10 == 9:
                page.keyboard.type("read it: whole")
            begun = time.perf_counter()
            page.keyboard.press("Enter")
            acts += 2 + (number % 10 == 9)
            if number < pages - 1:
                _is_open(page, f"Page p{number + 1:03}")
            else:
                page.get_by_role("dialog").wait_for(state="detached")
            waits.append(time.perf_counter() - begun)
        report("the monitor's page, by its keys", acts, _cpu_of(served) - cpu, waits, pages)
        browser.close()


def _is_open(page: Page, title: str) -> None:
    """The heading, and the text that is to be approved."""
    page.get_by_role("heading", level=1, name=title, exact=True).wait_for()
    page.wait_for_function("document.querySelector('main')?.innerText.length > 300")


def _monitor_pids(at: str) -> list[int]:
    port = f"{int(at.rpartition(':')[2]):04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    inodes = {line.split()[9] for line in lines if line.split()[1].endswith(f":{port}") and line.split()[3] == "0A"}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            links = {str(one.readlink()) for one in (process / "fd").iterdir()}
        except OSError:
            continue
        if any(f"socket:[{inode}]" in links for inode in inodes):
            found.append(int(process.name))
    return found


def _cpu_of(pids: Sequence[int]) -> float:
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the run thrice, and hold the session in each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", choices=("file", "terminal", "page"))
    opts = parser.parse_args(arguments)
    pages = read_pages(opts.pages, opts.count)
    print(f"| way | acts | processor time a page | median wait | longest | over 200 ms |\n|{' --- |' * 6}")
    for way in [opts.only] if opts.only else ["file", "terminal", "page"]:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder))
            project.manifest([source("guide", f"https://{DOMAIN}/", "crawl")], delay_s=0.01)
            project.ledger.parent.mkdir(exist_ok=True)
            run_id = make_run(project, pages)
            if way == "page":
                decide_in_page(project, run_id, len(pages))
            else:
                (decide_by_file if way == "file" else decide_at_terminal)(project, len(pages))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
