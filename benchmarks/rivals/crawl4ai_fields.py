"""crawl4ai's LLMExtractionStrategy over pages of HTML: tasks as JSON on stdin, what it extracted as JSON on stdout."""

import asyncio
import json
import sys
from contextlib import redirect_stdout

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, LLMConfig, LLMExtractionStrategy
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

_INSTRUCTION = "Extract the values of the schema from the page. Leave out each value that the page does not state."


def _strategy(task: dict) -> LLMExtractionStrategy:
    properties = {field["name"]: {**field["schema"], "description": field["description"]} for field in task["fields"]}
    return LLMExtractionStrategy(
        llm_config=LLMConfig(provider=f"openai/{task['model']}", api_token=task["key"], base_url=task["base_url"]),
        instruction=_INSTRUCTION,
        schema={"type": "object", "properties": properties},
        extraction_type="schema",
    )


async def extract(tasks: list[dict]) -> dict[str, dict[str, list]]:
    extracted: dict[str, dict[str, list]] = {}
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        for task in tasks:
            config = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, verbose=False, extraction_strategy=_strategy(task))
            result = await crawler.arun("raw:" + task["html"], config=config)
            values: dict[str, list] = {}
            for block in json.loads(result.extracted_content or "[]"):
                if isinstance(block, dict) and not block.get("error"):
                    for field in task["fields"]:
                        value = block.get(field["name"])
                        values.setdefault(field["name"], []).extend(value if isinstance(value, list) else [value])
            extracted[task["key"]] = values
    return extracted


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):  # what it prints by itself
        found = asyncio.run(extract(json.load(sys.stdin)))
    json.dump({"crawl4ai": found}, sys.stdout)
