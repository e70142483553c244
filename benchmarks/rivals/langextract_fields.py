"""langextract over the markdown of pages: tasks as JSON on stdin, what it extracted as JSON on stdout.

Its extraction's text is the quote, an attribute the value. "aligned" leaves out what it found no place for in the page.
"""

import json
import logging
import sys

import langextract as lx
from langextract.providers.openai import OpenAILanguageModel

_PROMPT = """Extract the values below from the text. The extraction's text is copied from the text, long enough to \
show what the value is about; the attribute "value" is the value as JSON. Leave out what the text does not state.
"""
_EXAMPLE = lx.data.ExampleData(
    text="The course fee is $75.",
    extractions=[
        lx.data.Extraction(
            extraction_class="course_fee", extraction_text="The course fee is $75", attributes={"value": "75"}
        )
    ],
)
#: As much as the collector shows to a model at once.
_CHARS = 6_000


def _extractions(task: dict) -> list:
    lines = [f"- {field['name']} ({field['type']}): {field['description']}" for field in task["fields"]]
    model = OpenAILanguageModel(task["model"], api_key="none", base_url=task["base_url"], temperature=0.0)
    try:
        document = lx.extract(
            task["markdown"],
            prompt_description=_PROMPT + "\n".join(lines),
            examples=[_EXAMPLE],
            model=model,
            max_char_buffer=_CHARS,
            show_progress=False,
            fetch_urls=False,
        )
    except Exception as error:  # an answer that it cannot parse fails the page
        print(f"{task['key']}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return []
    return document.extractions or []


def _value(one: lx.data.Extraction) -> object:
    text = (one.attributes or {}).get("value", one.extraction_text)
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return text


def main() -> None:
    logging.disable(logging.CRITICAL)
    every: dict[str, dict[str, list]] = {}
    aligned: dict[str, dict[str, list]] = {}
    for task in json.load(sys.stdin):
        for one in _extractions(task):
            value = _value(one)
            every.setdefault(task["key"], {}).setdefault(one.extraction_class, []).append(value)
            if one.char_interval is not None and one.char_interval.start_pos is not None:
                aligned.setdefault(task["key"], {}).setdefault(one.extraction_class, []).append(value)
    json.dump({"langextract": every, "langextract, aligned": aligned}, sys.stdout)


if __name__ == "__main__":
    main()
