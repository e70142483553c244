"""The steps that a source asks for on its pages: click, scroll, select, wait; each bounded, and recorded.

What is clicked is what a script of the page answers to: no form is sent, and a click that leads to another address ends
the page as a redirect does (`page_watch`). Nothing that accepts a prompt is clicked.
"""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.items import PageStep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from rori_spiders.manifest.models import Interaction

    Ask = Callable[[str], Awaitable[Any]]

#: An element that a step waits for comes within so many seconds, or is not waited for.
WAIT_S = 10.0
#: Of the time that a page has, the share after which no further step begins: what is there is read.
STEPS_SHARE = 0.6

_ON = r"""((action, selector, value) => {
  const isShown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length > 0;
  const shown = selector ? [...document.querySelectorAll(selector)].filter(isShown) : [];
  const [first] = shown;
  if (action === 'wait') return first ? 'done' : 'nothing';
  if (action === 'scroll') {
    const box = selector ? first : document.scrollingElement;
    if (!box) return 'nothing';
    const before = box.scrollTop;
    box.scrollTop = box.scrollHeight;
    return box.scrollTop > before ? 'done' : 'end';
  }
  if (!first) return 'nothing';
  if (first.disabled || first.ariaDisabled === 'true') return 'disabled';
  if (action === 'select') {
    const option = [...first.options ?? []].find(one => one.value === value || one.text.trim() === value);
    if (!option) return 'no such option';
    first.value = option.value;
    for (const type of ['input', 'change']) first.dispatchEvent(new Event(type, {bubbles: true}));
    return 'done';
  }
  if (/^(?:submit|image)$/.test(first.type ?? '') && first.form) return 'it sends a form';
  first.scrollIntoView({block: 'center'});
  first.click();
  return 'done';
})"""
_RESULTS = {
    "nothing": "found nothing",
    "disabled": "it is disabled",
    "no such option": "it has no such option",
    "it sends a form": "not clicked: it sends a form",
    "end": "nothing more to scroll",
}


async def take_steps(
    interactions: Sequence[Interaction], ask: Ask, settle: Callable[[], Awaitable[object]], *, until: float
) -> list[PageStep]:
    """Take each step in its order, and let the page settle after it. *until*: when none begins any more, monotonic."""
    taken: list[PageStep] = []
    for one in interactions:
        expression = f"{_ON}({json.dumps(one.action)}, {json.dumps(one.selector)}, {json.dumps(one.value)})"
        done, ended = 0, ""
        while done < one.times and not ended:
            if monotonic() >= until:
                ended = "no time left"
                break
            result = await ask(expression)
            if one.action == "wait":
                since = monotonic()
                while result == "nothing" and monotonic() < min(since + WAIT_S, until):
                    await settle()
                    result = await ask(expression)
            if result == "done":
                done += 1
                await settle()
            else:
                ended = _RESULTS.get(str(result), "the page went on to another document")
        counted = f"{done} times" if done > 1 else "done" if done else ""
        target = " ".join(part for part in (one.selector, one.value) if part) or "page"
        taken.append(PageStep(one.action, target, "; then: ".join(part for part in (counted, ended) if part)))
    return taken
