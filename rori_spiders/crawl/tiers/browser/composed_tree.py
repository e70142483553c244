"""What a person sees of a document, as HTML: with open shadow roots and frames of its own origin where they stand.

Expressions for a world of our own in the page (``page_visit.DocumentObserver``). A frame becomes a ``div``, a set of
frames the ``body``; a child of a shadow host that no slot takes is not shown, and left out.
"""

from __future__ import annotations

import json

from rori_spiders.content.html.visible_text import LOADING_TEXT

#: Frames within frames.
_MOST_FRAMES = 3
_DOCUMENT_OF = """
  const documentOf = frame => {
    if (!['iframe', 'frame'].includes(frame.localName)) return null;
    try { return frame.contentDocument?.body ? frame.contentDocument : null } catch { return null }
  };
"""

#: State, elements and characters; it changes with what is shown, in shadow roots and frames too. A frame of the page's
#: own that would load when a person scrolls to it is loaded.
LOOKS_LIKE = f"""(() => {{{_DOCUMENT_OF}
  let elements = 0, characters = 0;
  const count = root => {{
    const all = root.querySelectorAll('*');
    elements += all.length;
    characters += (root.documentElement ?? root).textContent?.length ?? 0;
    for (const one of all) {{
      const inner = one.shadowRoot ?? documentOf(one);
      if (inner) count(inner);
      if (one.localName === 'iframe' && one.loading === 'lazy' && one.checkVisibility()
          && new URL(one.src, document.baseURI).origin === location.origin) one.loading = 'eager';
    }}
  }};
  count(document);
  return `${{document.readyState}} ${{elements}} ${{characters}}`;
}})()"""

#: By what a person sees that a part of the page is still to come; '' where nothing says so.
LOADING_MARK = f"""(() => {{{_DOCUMENT_OF}
  const WORDS = new RegExp({json.dumps(f"^{LOADING_TEXT}$")}, 'i');
  const NAMED = /(?:^|[-_ ])(?:skeleton|spinner|shimmer)(?:[-_ ]|$)/i;
  const isShown = one => one.checkVisibility({{visibilityProperty: true, opacityProperty: true}})
    && one.getClientRects().length > 0 && !one.closest('nav, header, footer, aside, button');
  const markOf = root => {{
    for (const one of root.querySelectorAll('*')) {{
      if (['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'OPTION'].includes(one.tagName)) continue;
      const text = one.childElementCount ? '' : (one.textContent ?? '').slice(0, 200).replace(/\\s+/g, ' ').trim();
      if (text && WORDS.test(text) && isShown(one)) return text;
      const isBusy = one.ariaBusy === 'true'
        || (one.getAttribute('role') === 'progressbar' && !one.hasAttribute('aria-valuenow'))
        || (!text && NAMED.test(one.getAttribute('class') ?? ''));
      if (isBusy && isShown(one)) return text.slice(0, 60) || one.getAttribute('class') || one.localName;
      const inner = one.shadowRoot ?? documentOf(one);
      const found = inner ? markOf(inner) : '';
      if (found) return found;
    }}
    return '';
  }};
  return markOf(document);
}})()"""

#: Runs in each document before its scripts: notes when the timers that they set are due, and for what they wait to come
#: into view.
NOTE_TIMERS = """(() => {
  const due = new Map(), clear = window.clearTimeout;
  window.setTimeout = new Proxy(window.setTimeout, {apply(set, self, [task, ms, ...rest]) {
    const run = typeof task !== 'function' ? task : function (...given) {
      due.delete(id);
      return task.apply(this, given);
    };
    const id = Reflect.apply(set, self, [run, ms, ...rest]);
    if (typeof task === 'function') due.set(id, performance.now() + (Number(ms) || 0));
    return id;
  }});
  window.clearTimeout = new Proxy(clear, {apply(target, self, [id]) {
    due.delete(id);
    return Reflect.apply(target, self, [id]);
  }});
  Object.defineProperty(window, Symbol.for('timers'), {value: most => {
    const waits = [...due.values()].map(at => at - performance.now()).filter(ms => ms <= most);
    return Math.max(0, ...waits.map(ms => Math.max(1, ms)));  // what is due and has not run on a busy machine counts
  }});
  const awaited = new Set(), seen = window.IntersectionObserver.prototype;
  seen.observe = new Proxy(seen.observe, {apply(observe, self, [target]) {
    if (awaited.size < 1000) awaited.add(new WeakRef(target));
    return Reflect.apply(observe, self, [target]);
  }});
  const isBelow = one => one?.isConnected && !one.textContent.trim() && !one.querySelector('img, iframe, video')
    && !['IMG', 'IFRAME', 'VIDEO', 'PICTURE'].includes(one.tagName) && one.getBoundingClientRect().top > innerHeight;
  Object.defineProperty(window, Symbol.for('awaited'), {value: () => [...awaited].some(one => isBelow(one.deref()))});
})()"""

#: The composed document; null for one without shadow roots and such frames, which is as its own HTML says.
COMPOSED_HTML = f"""(() => {{{_DOCUMENT_OF}
  const isComposed = root =>
    [...root.querySelectorAll('*')].some(one => one.shadowRoot || documentOf(one)?.body.textContent.trim());
  if (!document.documentElement || !isComposed(document)) return null;
  const inert = document.implementation.createHTMLDocument('');
  const copyAll = (nodes, target, level) => {{ for (const one of nodes) copy(one, target, level) }};
  const copy = (node, target, level) => {{
    if (node.localName === 'slot' && node.getRootNode().host) {{
      const given = node.assignedNodes();
      return copyAll(given.length ? given : node.childNodes, target, level);
    }}
    const inner = level < {_MOST_FRAMES} && node.nodeType === Node.ELEMENT_NODE ? documentOf(node) : null;
    if (inner && node.checkVisibility() && node.clientWidth > 1 && node.clientHeight > 1)
      return copyAll(inner.body.childNodes, target.appendChild(inert.createElement('div')), level + 1);
    const instead = level && node.localName === 'main' ? 'section'  // of the page it is a part
      : node.localName !== 'frameset' ? null : target.localName === 'html' ? 'body' : 'div';
    const made = target.appendChild(
      instead ? inert.createElement(instead) : inert.importNode(node, node.localName === 'template'));
    if (node.nodeType !== Node.ELEMENT_NODE || node.localName === 'template') return;
    for (const name of level ? ['href', 'src'] : [])
      if (made.hasAttribute(name) && typeof node[name] === 'string') made.setAttribute(name, node[name]);
    if (node.shadowRoot) {{
      const style = node.ownerDocument.defaultView.getComputedStyle(node);
      const inside = style.display.startsWith('inline') ? made : made.appendChild(inert.createElement('div'));
      copyAll(node.shadowRoot.childNodes, inside, level);
    }} else if (node.localName === 'noscript') made.innerHTML = node.textContent;  // here it is text, there elements
    else copyAll(node.childNodes, made, level);
  }};
  const whole = inert.createElement('div');
  copy(document.documentElement, whole, 0);
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return type + whole.innerHTML;
}})()"""
