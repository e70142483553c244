"""The steps that a source asks for on its pages: click, scroll, select, wait, download; each bounded, and recorded.

What is clicked is what a script of the page answers to, in shadow roots and the page's own frames, too. No form is
sent, and a click that leads to another address is not followed (`page_watch`): it is said. Nothing that accepts a
prompt is clicked. A download is a click after which a script asks for a document: that is then the page's answer.
What a step replaces is read, too (`content/html/page_states.py`).
"""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.errors import TooLarge
from rori_spiders.items import PageStep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from rori_spiders.crawl.tiers.browser.page_watch import PageWatch, ReceivedFile
    from rori_spiders.manifest.models import Interaction

    Ask = Callable[[str], Awaitable[Any]]

#: An element that a step waits for comes within so many seconds, or is not waited for.
WAIT_S = 10.0
#: Of the time that a page has, the share after which no further step begins: what is there is read.
STEPS_SHARE = 0.6

_ON = r"""((action, selector, value) => {
  const isShown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length > 0;
  const roots = [document];
  for (let at = 0; selector && at < roots.length && at < 200; at++)
    for (const one of roots[at].querySelectorAll('*')) {
      let inner = one.shadowRoot;
      try { inner ??= one.contentDocument?.body ? one.contentDocument : null } catch { /* of another origin */ }
      if (inner) roots.push(inner);
    }
  try { selector && document.querySelector(selector) } catch { return 'no selector' }
  const shown = selector ? roots.flatMap(root => [...root.querySelectorAll(selector)]).filter(isShown) : [];
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
#: Which dialogs are shown: those before the first step are the page's own, those after it were opened by a step, and
#: are read (`content/html/page_states.py`). The number of those that were not marked before.
MARK_DIALOGS = r"""(mark => {
  const roots = [document];
  let marked = 0;
  for (let at = 0; at < roots.length && at < 200; at++)
    for (const one of roots[at].querySelectorAll('*')) {
      if (one.shadowRoot) roots.push(one.shadowRoot);
      const isDialog = one.localName === 'dialog' || /^(?:alert)?dialog$/.test(one.getAttribute('role') ?? '')
        || one.popover != null;
      const isShown = isDialog && one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length > 0;
      if (isShown && !one.hasAttribute('data-dialog-shown')) marked++, one.setAttribute('data-dialog-shown', mark);
    }
  return marked;
})"""
#: Scrolled to its end, as a reader would: how many characters the page has, without what floats over it.
SCROLL_ON = r"""(() => {
  const size = one => one.textContent.length;
  const isOver = one => one.matches('dialog, [role=dialog], script, style')
    || getComputedStyle(one).position === 'fixed';
  const over = new Set();
  let characters = size(document.body);
  for (const one of document.body.querySelectorAll('*')) {
    if (over.has(one.parentElement)) over.add(one);
    else if (isOver(one)) { over.add(one); characters -= size(one); }
  }
  window.scrollTo(0, document.scrollingElement.scrollHeight);
  return characters;
})()"""
#: Of a box that draws its rows as they come into view: how much of what it scrolls has words. '' where there is none.
VIRTUAL_ROWS = r"""(() => {
  const isShown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length > 0;
  for (const box of document.querySelectorAll('div, section, ul, ol, tbody, main')) {
    if (box.scrollHeight < 3 * box.clientHeight || box.clientHeight < 50 || !isShown(box)) continue;
    if (!/auto|scroll/.test(getComputedStyle(box).overflowY)) continue;
    if (box.querySelector('img, canvas, video, iframe')) continue;
    const words = [...box.querySelectorAll('*')].filter(one =>
      !one.childElementCount && one.textContent.trim() && isShown(one));
    const top = box.getBoundingClientRect().top - box.scrollTop;
    const end = words.reduce((most, one) => Math.max(most, one.getBoundingClientRect().bottom - top), 0);
    if (words.length > 2 && end < box.scrollHeight / 2)
      return `words fill ${Math.ceil(100 * end / box.scrollHeight)} % of what a box scrolls`;
  }
  return '';
})()"""
_RESULTS = {
    "nothing": "found nothing",
    "no selector": "the browser cannot read this selector",
    "disabled": "it is disabled",
    "no such option": "it has no such option",
    "it sends a form": "not clicked: it sends a form",
    "end": "nothing more to scroll",
}


async def take_steps(
    interactions: Sequence[Interaction],
    ask: Ask,
    settle: Callable[[], Awaitable[object]],
    *,
    until: float,
    watch: PageWatch,
    taken: list[PageStep],
) -> ReceivedFile | None:
    """Take each step in its order, and let the page settle after it. *until*: when none begins any more, monotonic.

    Appends each to *taken*. Returns the document that a download brought, which ends the steps.
    """
    for one in interactions:
        action = "click" if one.action == "download" else one.action
        expression = f"{_ON}({json.dumps(action)}, {json.dumps(one.selector)}, {json.dumps(one.value)})"
        target = " ".join(part for part in (one.selector, one.value) if part) or "page"
        if one.action == "download":
            taken.append(PageStep("download", target, "it led to another address"))  # unless the page goes on
            file, result = await _download(expression, ask, settle, until=until, watch=watch)
            taken[-1] = PageStep("download", target, result)
            if file is not None:
                return file
            continue
        done, ended, at = 0, "", len(taken)
        taken.append(PageStep(one.action, target, "the page did not come to rest"))  # unless it does
        watch.stays = True
        while done < one.times and not ended:
            if monotonic() >= until:
                ended = "no time left"
                break
            result = await ask(expression)
            if one.action == "wait":
                result = await _wait_for(expression, ask, settle, result, until=until)
            if result != "done":
                ended = _RESULTS.get(str(result), "the page went on to another document")
                break
            try:
                await settle()
            except TooLarge as error:
                ended = f"not read: {error}"
            else:
                ended = watch.refused_step
                done += not ended
        watch.stays, watch.refused_step = False, ""
        counted = f"{done} times" if done > 1 else "done" if done else ""
        taken[at] = PageStep(one.action, target, "; then: ".join(part for part in (counted, ended) if part))
    return None


async def _wait_for(
    expression: str, ask: Ask, settle: Callable[[], Awaitable[object]], result: Any, *, until: float
) -> Any:
    since = monotonic()
    while result == "nothing" and monotonic() < min(since + WAIT_S, until):
        await settle()
        result = await ask(expression)
    return result


async def _download(
    expression: str, ask: Ask, settle: Callable[[], Awaitable[object]], *, until: float, watch: PageWatch
) -> tuple[ReceivedFile | None, str]:
    """The document that a click brings, and what became of it. Raises TooLarge."""
    known, since = len(watch.files), monotonic()
    watch.takes_windows = True
    try:
        result = await _wait_for(expression, ask, settle, await ask(expression), until=until)
        if result != "done":
            return None, _RESULTS.get(str(result), "the page went on to another document")
        while len(watch.files) == known and monotonic() < min(since + WAIT_S, until):
            await settle()
    finally:
        watch.takes_windows = False
    if len(watch.files) == known:
        return None, "clicked; no document came"
    file = watch.files[known]
    return file, describe_file(file)


def describe_file(file: ReceivedFile) -> str:
    """Where a document that was taken as the page's answer came from, for the audit."""
    kind = file.head.first("content-type").partition(";")[0].strip() or "no type"
    return f"took {file.url} ({kind}, {len(file.body):,} bytes)"
