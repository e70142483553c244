"""The example package of plug-ins, installed as pip would: its modules, and the metadata that entry points are in."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins"


def install_example(folder: Path, *, version: str | None = None) -> Path:
    """Install it to *folder*, which is then to stand on ``sys.path``."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))
    for module in project["tool"]["setuptools"]["py-modules"]:
        shutil.copy(EXAMPLE / f"{module}.py", folder)
    named = project["project"]
    return install_metadata(folder, named["name"], version or named["version"], **named["entry-points"])


def install_metadata(folder: Path, name: str, version: str, **groups: dict[str, str]) -> Path:
    """The ``dist-info`` of a package with these groups of entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{entry} = {where}" for entry, where in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder
