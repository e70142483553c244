"""docs/tutorial.md, typed as it stands: each command succeeds, and prints what the page shows."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import forking_program

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # a dozen commands and a server, one after the other

REPOSITORY = Path(__file__).parents[3]
TUTORIAL = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
INSTALL = 'make setup\nexport PATH="$PWD/.venv/bin:$PATH"\n'  # what has made the environment that this test runs in
PASSWORD = "orchard lantern 4711 granite"
#: The monitor runs until Ctrl-C: it is started, asked for its login page, and ended.
WATCH = """scrapy monitor > monitor.log 2>&1 & monitor=$!
for attempt in $(seq 300); do
    ! grep -q 'is at http' monitor.log || break
    kill -0 $monitor; sleep 0.2
done
python3 -c 'import os, urllib.request as u; u.urlopen("http://127.0.0.1:" + os.environ["RORI_MONITOR_PORT"] + "/login")'
kill $monitor; wait $monitor || true
"""


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def blocks() -> list[tuple[str, str]]:
    """Language and text of each block of code, in the page's order."""
    return re.findall(r"^```(bash|text)\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)


def shown(line: str) -> str:
    """A pattern for a line of output; `...` stands for what differs from day to day."""
    return r".*".join(re.escape(part.strip()) for part in line.split("..."))


def write_scrapy(folder: Path, python: str) -> None:
    """Write a ``scrapy``: the first command is the installed program's, the others begin in forks by *python*.

    A dozen interpreters that import the same cost more than all that the commands do.
    """
    folder.mkdir()
    installed, has_run = Path(sys.executable).parent / "scrapy", folder / "installed-has-run"
    program = folder / "scrapy"
    program.write_text(
        f'#!/bin/sh\nif [ ! -e "{has_run}" ]; then : > "{has_run}"; exec "{installed}" "$@"; fi\n'
        f'exec "{python}" -m scrapy "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)


@pytest.mark.usefixtures("demo_port")
def test_tutorial_every_command_works_as_written(tmp_path: Path) -> None:
    (_, installed), *rest = blocks()
    assert installed == INSTALL
    script = ["set -e", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]  # no server outlives a test that failed
    for number, (language, text) in enumerate(rest):
        if language == "bash":
            script += [f"echo '=== {number}'", re.sub(r"^scrapy monitor\n", lambda _: WATCH, text, flags=re.MULTILINE)]
    port = str(free_port())
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RORI_", "SCRAPY_", "PYTEST_"))}
    bin_folder = tmp_path / "bin"
    environment = {
        **kept,
        "HOME": str(tmp_path),
        "PATH": f"{bin_folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUTF8": "1",
        "COLUMNS": "160",
        "RORI_MONITOR_PORT": str(free_port()),
    }
    write_scrapy(bin_folder, forking_program(environment))
    typed = subprocess.run(
        ["bash", "-c", "\n".join(script).replace("8700", port)],
        cwd=tmp_path,
        env=environment,
        input=PASSWORD + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert typed.returncode == 0, f"{typed.stdout}\n{typed.stderr}"
    assert (bin_folder / "installed-has-run").exists()
    said = dict(re.findall(r"^=== (\d+)\n(.*?)(?=^=== |\Z)", typed.stdout, re.MULTILINE | re.DOTALL))
    for number, (language, text) in enumerate(rest):
        for line in text.splitlines() if language == "text" else ():
            pattern = shown(line.replace("8700", port))
            assert re.search(pattern, said[str(number - 1)]), f"{line!r} is not in:\n{said[str(number - 1)]}"
    assert "Everything agrees." in typed.stdout
    assert not (tmp_path / "rori-tutorial").exists()
