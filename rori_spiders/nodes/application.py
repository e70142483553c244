"""Scrapyd's application (its setting ``application``): refused without a password, with as many jobs as fit."""

from __future__ import annotations

import os
from typing import Any

from scrapy.utils.project import get_project_settings
from scrapyd.app import application as scrapyds
from scrapyd.exceptions import ConfigError
from twisted.logger import Logger

from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.configured import configured
from rori_spiders.nodes.memory import jobs_at_once, total_mib
from rori_spiders.nodes.spiderqueue import node_name

logger = Logger()

_LOOPBACK = ("127.", "localhost", "::1")


def application(config: Any) -> Any:
    """Scrapyd's own, once *config* is fit for a node. Raises ConfigError, whose text Scrapyd prints, and ends."""
    try:
        _need_password(config)
        _limit_jobs(config)
        made = scrapyds(config)
    except UsageError as error:
        raise ConfigError(str(error)) from error
    address = os.getenv("SCRAPYD_BIND_ADDRESS") or config.get("bind_address", "127.0.0.1")
    if not address.startswith(_LOOPBACK):
        logger.error("Scrapyd listens on {address}: password and logs pass in the clear", address=address)
    return made


def _need_password(config: Any) -> None:
    named = {"SCRAPYD_USERNAME": config.get("username", ""), "SCRAPYD_PASSWORD": config.get("password", "")}
    missing = [name for name, configured_as in named.items() if not (os.getenv(name) or configured_as)]
    if missing:
        raise ConfigError(
            f"Scrapyd does not start: {' and '.join(missing)} must be set in the environment. Who can reach it can run "
            "programs here, so a node is never open. docs/nodes.md shows where to keep them."
        )


def _limit_jobs(config: Any) -> None:
    """`max_proc = 0` stands for what the memory holds."""
    node, number = node_name(config), config.getint("max_proc", 0)
    if number:
        logger.info("The node {node} runs {number} jobs at once, as scrapyd.conf says", node=node, number=number)
        return
    settings, memory = get_project_settings(), total_mib()
    browser = settings.getint("RORI_BROWSER_MEMORY") if "browser" in configured(settings) else 0
    number = jobs_at_once(memory, browser)
    config.cp.set(config.SECTION, "max_proc", str(number))
    logger.info(
        "The node {node} runs {number} jobs at once: {memory} MiB of memory, {browser} for each browser",
        node=node,
        number=number,
        memory=memory,
        browser=browser,
    )
