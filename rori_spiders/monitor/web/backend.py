"""Setuptools with the monitor's page: the build backend of pyproject.toml, and the commands that it is built before.

A wheel, an egg, an sdist and an editable install each get the page as it is built from these sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel
from setuptools.command.sdist import sdist
from setuptools.errors import ExecError

from rori_spiders.monitor.web import building

if TYPE_CHECKING:
    from collections.abc import Mapping

    Settings = Mapping[str, str | list[str] | None] | None

_DOCS = Path(__file__).parents[3] / "docs"
_DOC_SUFFIXES = (".md", ".json", ".yml", ".service", ".timer", ".example")

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_node()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *_node()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *_node()]


class BuildPy(build_py):
    """What wheels and eggs take the package's files from."""

    def run(self) -> None:
        if not self.editable_mode:  # there setuptools would turn what fails into a warning
            _page()
        super().run()
        if not self.editable_mode:
            self.copy_docs()

    def copy_docs(self) -> None:
        """Pack the documentation: errors name its pages, and who installed a wheel has no checkout."""
        for path in sorted(_DOCS.rglob("*")):
            if path.suffix in _DOC_SUFFIXES:
                target = Path(self.build_lib) / "rori_spiders" / "docs" / path.relative_to(_DOCS)
                self.mkpath(str(target.parent))
                self.copy_file(str(path), str(target))


class Editable(editable_wheel):
    def run(self) -> None:
        _page()
        super().run()


class Sdist(sdist):
    def run(self) -> None:
        _page()
        super().run()


def _node() -> list[str]:
    return [] if building.is_current() or building.npm() else [building.NODE_FROM_PYPI]


def _page() -> None:
    try:
        building.page()
    except building.PageNotBuilt as error:
        raise ExecError(str(error)) from None
