"""Consent overlays: taken out of the view, never accepted. Nothing of them is clicked.

The box of a prompt is set ``hidden`` in the page, so that its bytes stay in the evidence. Where hardly anything is
shown beside it, it stays: the page stands behind the consent, and that is its verdict. Words of English, German, Dutch,
French and Spanish; shadow roots and frames of the page's own origin are searched, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

#: With fewer characters shown beside its prompt, outside menus, header and footer, a page stands behind it (as S4 has
#: it for rendered pages: 80).
_LEAST_SHOWN = 80
#: Of the view (1280 x 720). A picture of 640 x 480 takes a third of it, what a viewer draws of a document most of it.
_MOSTLY_DRAWN = 0.4
#: Two lines of text: a heading, and what a viewer says on its buttons.
_LEAST_BESIDE_DRAWN = 200

#: Hide the boxes of prompts; what was hidden, what else is shown, and whether anything asks for consent, as JSON.
HIDE_PROMPTS = r"""(() => {
  const ACCEPT = new RegExp('\\b(?:accept|agree|allow|consent|acknowledge|akzeptier|zustimm|einverstanden|accepter'
    + '|accepteer|akkoord|toestaan|acept)', 'i');
  const DISMISS = /^(?:ok|okay|got it|i understand|understood|continue|yes|close|dismiss|×|x)[.!]?$/i;
  const TOPIC = new RegExp('cookie|consent|tracking|gdpr|privacy|personal (?:data|information)|terms (?:of|and)'
    + '|disclaimer|licen[sc]e agreement|einwilligung|datenschutz|toestemming|confidentialit|consentement'
    + '|consentimiento|privacidad', 'i');
  const NAMED = new RegExp('cookie|consent|gdpr|ccpa|onetrust|usercentrics|didomi|trustarc|truste|osano|cmp(?:box)?\\b'
    + '|privacy[-_]?(?:banner|notice|overlay|modal|popup|prompt|dialog|bar|manager)', 'i');
  const CHROME = 'nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo]';
  const documentOf = frame => {
    if (!['iframe', 'frame'].includes(frame.localName)) return null;
    try { return frame.contentDocument?.body ? frame.contentDocument : null } catch { return null }
  };
  const roots = [document];
  for (let at = 0; at < roots.length && at < 200; at++)
    for (const one of roots[at].querySelectorAll('*')) {
      const inner = one.shadowRoot ?? documentOf(one);
      if (inner) roots.push(inner);
    }
  const words = text => (text ?? '').replace(/\s+/g, ' ').trim();
  const isShown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length > 0;
  const textOf = one => {  // of what is shown, in shadow roots and frames too
    if (!isShown(one) && getComputedStyle(one).display !== 'contents') return '';
    let text = one.innerText ?? '';
    for (const host of [one, ...one.querySelectorAll('*')]) {
      for (const part of host.shadowRoot?.children ?? []) text += ' ' + textOf(part);
      if (documentOf(host) && isShown(host)) text += ' ' + textOf(documentOf(host).body);
    }
    return words(text);
  };
  const above = one => one.parentElement ?? one.getRootNode().host ?? one.ownerDocument.defaultView?.frameElement;
  const nameOf = one => `${one.id} ${one.getAttribute('class') ?? ''} ${one.localName}`;
  const isFloating = one => {
    const style = one.ownerDocument.defaultView.getComputedStyle(one);
    const isLifted = style.position === 'absolute' && Number.parseInt(style.zIndex) > 0;
    const isStuck = style.position === 'sticky' && !one.closest('main, article, [role=main]');
    return style.position === 'fixed' || isStuck || isLifted;
  };
  const isDialog = one => one.localName === 'dialog' || one.ariaModal === 'true'
    || /^(?:alert)?dialog$/.test(one.getAttribute('role') ?? '');
  const isPage = one => ['main', 'article'].includes(one.localName)
    || (['html', 'body'].includes(one.localName) && one.ownerDocument === document)
    || one.getAttribute('role') === 'main' || one.querySelector('main, article, [role=main]');
  const isOverlay = one => isDialog(one) || isFloating(one)
    || (NAMED.test(nameOf(one)) && !one.closest('main, article, [role=main]'));
  const buttons = [];
  for (const root of roots)
    for (const one of root.querySelectorAll('button, a, input[type=button], input[type=submit], [role=button]')) {
      const text = words(one.innerText || one.value);
      if (text.length <= 40 && (ACCEPT.test(text) || DISMISS.test(text)) && isShown(one)) buttons.push([one, text]);
      else if (one.localName !== 'a' && /\bmore\b/i.test(one.textContent) && !isShown(one))
        one.hidden = true;  // what a class hides is else not known: at a list's end it is not asked for more
    }
  const boxOf = (button, text) => {
    let box = null, size = 0;
    for (let one = above(button); one && !isPage(one); one = above(one)) {
      const isNamed = NAMED.test(nameOf(one)), inside = textOf(one);
      if (box) {  // a wrapper of the box is the box
        if (inside.length > size + 300 || !(isOverlay(one) || inside.length === size)) break;
        [box, size] = [one, inside.length];
      } else if (isOverlay(one) && TOPIC.test(inside.slice(0, 400))
          && inside.length <= (isNamed && isFloating(one) ? 20000 : isNamed || isDialog(one) ? 2500 : 1200)
          && (isNamed || ACCEPT.test(text)
            || (isFloating(one) && inside.length <= 400 && /cookie|tracking/i.test(inside)))) {
        [box, size] = [one, inside.length];
      }
    }
    return box;
  };
  const boxes = new Set(buttons.map(([button, text]) => boxOf(button, text)).filter(box => box));
  const was = new Map([...boxes].map(box => [box, box.getAttribute('style')]));
  const found = [...boxes].map(box => ({
    target: words(nameOf(box)).slice(0, 120), text: textOf(box).slice(0, 200)}));
  for (const box of boxes) box.style.setProperty('display', 'none', 'important');
  const outer = [...document.body?.querySelectorAll(CHROME) ?? []].filter(one =>
    !one.parentElement.closest(`${CHROME}, main, article`));
  const sizeOf = one => textOf(one).length;
  const shown = document.body ? sizeOf(document.body) - outer.reduce((sum, one) => sum + sizeOf(one), 0) : 0;
  const isAll = boxes.size > 0 && shown < LEAST;
  for (const box of boxes) {
    if (!isAll) { box.hidden = true; box.classList.add('removed-overlay'); }
    else if (was.get(box) === null) box.removeAttribute('style');
    else box.setAttribute('style', was.get(box));
  }
  const asks = buttons.some(([, text]) => ACCEPT.test(text)) && TOPIC.test(document.body?.innerText ?? '');
  let drawn = 0;  // of what is in view, the share of pictures that scripts draw, with nothing over them
  for (const one of roots.flatMap(root => [...root.querySelectorAll('canvas')])) {
    const {left, top, right, bottom} = one.getBoundingClientRect();
    const [x, y] = [Math.max(0, left), Math.max(0, top)];
    const [toX, toY] = [Math.min(innerWidth, right), Math.min(innerHeight, bottom)];
    if (!isShown(one) || toX <= x || toY <= y || one.ownerDocument !== document) continue;
    if (one.getRootNode().elementsFromPoint((x + toX) / 2, (y + toY) / 2)[0] === one)
      drawn += (toX - x) * (toY - y) / (innerWidth * innerHeight);
  }
  return JSON.stringify({found, shown, isAll, asks, drawn});
})()""".replace("LEAST", str(_LEAST_SHOWN))


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows beside its prompts for consent: characters; the prompts' boxes, ``{target, text}`` each."""

    shown: int = 0
    prompts: tuple[dict[str, Any], ...] = ()
    is_behind_prompt: bool = False  # hardly anything else is shown: the prompts were left where they are
    asks_for_consent: bool = False  # some button of the page accepts something, in a box of its own or not
    drawn: float = 0.0  # share of the view, 0 to 1, that is drawn on canvases

    @property
    def is_drawn(self) -> bool:
        """Whether the view is mostly drawn by scripts, and hardly any text stands beside that."""
        return self.drawn >= _MOSTLY_DRAWN and self.shown < _LEAST_BESIDE_DRAWN

    @property
    def removed(self) -> tuple[dict[str, Any], ...]:
        return () if self.is_behind_prompt else self.prompts

    @classmethod
    def of(cls, answer: Any) -> View:
        """From the value of `HIDE_PROMPTS`; of a page that was between two documents nothing is known."""
        if not isinstance(answer, str):
            return cls()
        read = json.loads(answer)
        return cls(read["shown"], tuple(read["found"]), read["isAll"], read["asks"], read["drawn"])
