"""Commands of ours that run in processes of their own and outlive who starts them: in a folder, each with a log."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LOGS_KEPT = 100
_SAYS_CHARS = 500


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A process of ours, and where it says what it does."""

    process: subprocess.Popen[bytes]
    log: Path

    def code(self) -> int | None:
        """How it ended; None: it has not."""
        return self.process.poll()

    def last_words(self) -> str | None:
        """The last line of its log."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return None
        return next((line.strip()[:_SAYS_CHARS] for line in reversed(lines) if line.strip()), None)


def scrapy_command(words: Sequence[str]) -> list[str]:
    """``scrapy WORDS``, by the Python that runs this; ``rori WORDS`` where that was typed, so that hints name it."""
    program = Path(sys.argv[0])
    started = [str(program.absolute())] if program.name == "rori" and program.is_file() else ["-m", "scrapy"]
    return [sys.executable, *started, *words]


def start_command(root: Path, words: Sequence[str], log: Path, environment: Mapping[str, str]) -> ChildProcess:
    """``scrapy WORDS`` in *root*; what it says goes to *log*. *environment* is added to its environment."""
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603  # our own program; *words* hold no option of somebody else's
            scrapy_command(words),
            cwd=root,
            env={**os.environ, **environment, "RORI_PROGRESS": "never"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C ends the monitor, not what it has started
        )
    return ChildProcess(process, log)


def prepare_log_file(root: Path, folder: str, name: str) -> Path:
    """``collect/FOLDER/NAME.log``; of others there only the newest are kept."""
    place = root / "collect" / folder
    place.mkdir(mode=0o770, parents=True, exist_ok=True)
    wanted = place / f"{name}.log"
    old = sorted((path for path in place.glob("*.log") if path != wanted), key=lambda path: path.stat().st_mtime)
    for path in old[: -_LOGS_KEPT + 1]:
        path.unlink(missing_ok=True)
    return wanted


def process_stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat that follow the command's name: state, parent, group, ..."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []
