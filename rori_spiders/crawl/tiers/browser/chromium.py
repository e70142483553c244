"""Chromium: where it is, how it is started, its processes and their memory."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic, sleep

from rori_spiders.runtime.child_processes import process_stat

DEBIAN = "/usr/bin/chromium"
#: What a browser needs to know of its surroundings. Never ours as a whole: keys and passwords stand there.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "XDG_RUNTIME_DIR", "FONTCONFIG_PATH")
#: What belongs to no page has no way out: nobody listens there. Each context has a proxy of its own.
NOWHERE = "http://127.0.0.1:9"
_PROFILE = b"--user-data-dir="
_PAGE = os.sysconf("SC_PAGE_SIZE")
_REMOVED_S, _ENDING_S = 5.0, 0.05


def find_chromium(named: str) -> str | None:
    """The program to start: *named* (RORI_CHROMIUM), Debian's, or Playwright's own; None when there is none."""
    if named:
        return named if os.access(named, os.X_OK) else None
    if os.access(DEBIAN, os.X_OK):
        return DEBIAN
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(folder.glob("chromium-*/chrome-linux*/chrome"))
    return str(found[-1]) if found else None


def chromium_arguments(user_agent: str) -> list[str]:
    """The command line, beside what Playwright adds: who we are, one way out, and nothing behind our back."""
    return [
        f"--user-agent={user_agent}",
        f"--proxy-server={NOWHERE}",
        "--proxy-bypass-list=<-loopback>",  # loopback too is asked for by the proxy, which refuses it
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # names are the proxy's business
        "--disable-quic",
        "--disable-http2",  # many requests in one connection would not be held to three at once
        "--dns-prefetch-disable",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--deny-permission-prompts",
        "--disable-gpu",
        "--disable-remote-fonts",
        "--blink-settings=imagesEnabled=false",
        "--js-flags=--max-old-space-size=512",
    ]


def chromium_environment() -> dict[str, str | float | bool]:
    return {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}


@dataclass(frozen=True, slots=True)
class ProcessTree:
    """The processes of one Chromium: it leads a group of its own, which all of them belong to."""

    group: int
    driver: int  # Playwright's, which started it
    folders: tuple[Path, ...]  # its profile, and where its sockets lie
    _groups: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, pid: int) -> ProcessTree:
        """The tree that the process *pid* belongs to. Raises OSError when it is gone."""
        group = os.getpgid(pid)
        if group == os.getpgid(0):
            raise ProcessLookupError("Chromium has no group of its own")
        return cls(group, _parent_pid(group), tuple(_temporary_folders(group)))

    def memory(self) -> int:
        """Bytes that its processes hold and do not share; 0 where there is no /proc."""
        return sum(_private_memory(pid) for pid in self._pids())

    def kill_largest(self) -> None:
        """Kill the renderer that holds most: its page crashes, the browser lives on."""
        renderers = [pid for pid in self._pids() if b"--type=renderer" in _command_line(pid)]
        if renderers:
            with suppress(ProcessLookupError):
                os.kill(max(renderers, key=_private_memory), signal.SIGKILL)

    def kill(self) -> None:
        """End all of it now. The driver lives on."""
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)

    def kill_driver(self) -> None:
        """End a driver that does not end in order."""
        if b"playwright" in _command_line(self.driver):
            with suppress(ProcessLookupError):
                os.kill(self.driver, signal.SIGKILL)

    def remove_folders(self) -> None:
        """Remove what a killed Chromium leaves on the disk: a driver that ends with it may not come to that.

        A process that was killed a moment ago may still be writing: a folder that is not gone is removed again.
        """
        until = monotonic() + _REMOVED_S
        for folder in self.folders:
            while folder.exists() and monotonic() < until:
                rmtree(folder, ignore_errors=True)
                sleep(_ENDING_S)

    def _pids(self) -> list[int]:
        """Each process of the machine is looked at once: a group is inherited, and Chromium is asked twice a second."""
        listed = {int(one.name) for one in Path("/proc").glob("[0-9]*")}
        for pid in self._groups.keys() - listed:
            del self._groups[pid]
        for pid in listed - self._groups.keys():
            self._groups[pid] = _process_group(pid)
        return [pid for pid, group in self._groups.items() if group == self.group]


def _process_group(pid: int) -> int:
    fields = process_stat(pid)
    return int(fields[2]) if fields else 0


def _parent_pid(pid: int) -> int:
    fields = process_stat(pid)
    return int(fields[1]) if fields else 0


def _private_memory(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE


def _temporary_folders(pid: int) -> list[Path]:
    """The profile that Playwright has made for the browser *pid*, and the folder that Chromium has made for sockets."""
    words = _command_line(pid).split(b"\0")
    found = [Path(os.fsdecode(word[len(_PROFILE) :])) for word in words if word.startswith(_PROFILE)]
    with suppress(OSError):
        found += [(profile / "SingletonSocket").readlink().parent for profile in found]
    return [folder for folder in found if folder.name.startswith(("playwright_chromiumdev_profile", "org.chromium."))]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def is_own_connection(peer: tuple[str, int]) -> bool:
    """Whether a connection over loopback comes from *peer* of our own user: others may not use our way out.

    True where there is no /proc to tell.
    """
    host, port = peer
    ours = f"{int.from_bytes(bytes(map(int, host.split('.'))), 'little'):08X}:{port:04X}"
    try:
        lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return True
    return any(fields[1] == ours and int(fields[7]) == os.geteuid() for fields in map(str.split, lines))
