"""Check removed blocks: a block may be removed if it looks like boilerplate and holds nothing that a reader could
miss.  Input: a leaf of the draft, the headings above it, the known boilerplate of its site. Output: None, or a
code and a sentence for the refusal. What is doubtful stays.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from rori_spiders.content import citations
from rori_spiders.corpus.documents.titles import without_figures_of
from rori_spiders.corpus.guards.leaf_blocks import NEGATION, Leaf, LeafText, Span
from rori_spiders.corpus.guards.leaf_pairing import Pairing
from rori_spiders.fields.grounding.quantities import numbers_in_words

Why = tuple[str, str]

#: A longer block is not boilerplate. The longest calls to action of 237 real pages have 19.
MAX_WORDS = 25
_OBLIGATION = re.compile(
    r"\b(?:shall|must|may|should|required?|requires|requirements?|oblig\w+|prohibit\w*|forbid\w*|permit\w*|allow\w*"
    r"|entitle\w*|eligib\w+|liab\w+|penalt\w+|fees?|fines?|deadlines?|due|mandatory|compl(?:y|iance)|appl(?:y|ies)|waive\w*"
    r"|violat\w+|law|subject to|provided that|notwithstanding)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\b(?:repeal\w*|rescind\w*|rescission|withdr[ae]wn?|supersed\w+|expire\w*|archived|draft|proposed|obsolete|cancel+\w*"
    r"|terminat\w+|effective|suspend\w*|void|reserved|exempt\w*|amend\w*|revoke\w*|discontinu\w*|in force|interim|final"
    r"|correct(?:ed|ion)s?|errat\w+|corrigend\w+|revis(?:ed|ions?)|notice|warning|caution|important|alert|recall\w*|updated?"
    r"|last (?:reviewed|modified|revised))\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\b(?:means?|meaning|defin\w+|refers? to|known as|is called|stands for|includes?)\b", re.IGNORECASE
)
_DEFINED = re.compile(
    r"[\"“]([^\"“”\n]{2,60})[\"”],? (?:means|refers to|includes|is defined|has the meaning)", re.IGNORECASE
)
_AMOUNT = re.compile(r"[$€£¥¢%‰§¶]|\b(?:dollars?|percent|euros?|usd)\b", re.IGNORECASE)
_DOCUMENT = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|csv|zip|rtf|odt|xml|json)(?:[?#\n]|$)", re.IGNORECASE)
#: "You may also like" binds nobody, and "all rights reserved" says nothing of a rule.
_HARMLESS = re.compile(
    r"\byou (?:may|might) (?:also )?(?:like|be interested in|enjoy)\b|\ball rights reserved\b", re.IGNORECASE
)

_NETWORKS = (
    r"(?:facebook|twitter|x|linkedin|instagram|youtube|pinterest|reddit|whatsapp|tumblr|google ?\+?|google plus|e-?mail"
    r"|print|rss|copy link|bluesky|mastodon|threads|telegram|flickr|tiktok|snapchat)"
)
#: What a call to action goes on with; another word may be what it is about ("contact us to cancel the loan").
_SOME = (
    r"(?:[ ,]+(?:a|an|and|at|by|for|from|in|of|on|or|our|out|the|this|to|up|us|via|with|your|you|more|main|content"
    r"|navigation"
    r"|page|site|website|today|now|here|free|latest|new|news|newsletters?|updates?|alerts?|e-?mails?|information|details|product"
    r"|products|posts?|blog|articles?|questions?|subscribe|receive|get|learn|started|mailing|list|team|experts?|sales|demo|call"
    r"|visiting|reading|subscribing|improve|experience|facebook|twitter|x|linkedin|instagram|youtube|social|media)){0,10}"
)
_CALLS = re.compile(
    rf"""(?:
      skip\ (?:to|navigation){_SOME} | (?:back\ to|go\ to|return\ to)\ (?:the\ )?(?:top
      |home(?:\ page)?)(?:\ of\ (?:the\ )?page)?
    | (?:main\ )?(?:menu|navigation) | home | breadcrumbs? | search(?:\ this\ site)? | toggle\ \w+ | close
      | open\ menu
    | (?:print|e-?mail|share|bookmark|save|tweet|like)(?:\ (?:this|the))?(?:\ (?:page|article|post
      |story))?(?:\ (?:on|via|with){_SOME})?
    | share\ (?:this|on|via){_SOME} | show\ more(?:\ sharing\ options)? | {_NETWORKS}(?:[,/|·\ ]+{_NETWORKS})*
    | (?:follow|like|find|join|connect\ with|visit)\ us(?:\ (?:on|at){_SOME})? | stay\ (?:connected|informed
      |in\ touch)
    | (?:subscribe|sign\ up|register|join)(?:\ (?:now|today|here|free|to|for|our|by)\b{_SOME})?
    | (?:(?:our|e-?mail|weekly|monthly|free)\ )*newsletters?(?:\ sign-?up)? | get\ (?:e-?mail\ )?updates{_SOME}
      | get\ started{_SOME}
    | (?:book|request|schedule|watch|get|see|view)\ (?:a|your|the)\ (?:free\ |live\ )?(?:demo|call|quote
      |consultation|tour|trial){_SOME}
    | (?:start|try)(?:\ (?:a|it|our|the|your|for|free|today|now))*\ (?:free|trial|today|now){_SOME}
    | (?:contact|talk\ to|speak\ (?:to|with))\ (?:sales
      |us|our\ \w+|an?\ expert){_SOME}
    | (?:learn|read|see|view|load|show)\ (?:more(?:\ about\ \w+(?:\ \w+)?)?|all){_SOME} | (?:continue|keep)\ reading
      | click\ here{_SOME}
    | (?:related|similar|popular|recommended|featured|trending|latest|recent|more|other)\ (?:articles?|links?
      |posts?|stories|pages|content
      |resources|reading|news|topics|from\ our\ blog){_SOME} | you\ m(?:ay|ight)\ (?:also\ )?(?:like
      |be\ interested\ in|enjoy){_SOME}
    | quick\ links | see\ also | in\ this\ section | on\ this\ page | table\ of\ contents | tags | categories
      | advertisement
    | (?:previous|next)(?:\ (?:page|post|article))? | older\ posts? | newer\ posts? | log\ ?(?:in|out)
      | sign\ (?:in|out)
    | (?:we\ use|this\ (?:site|website)\ uses)\ cookies{_SOME} | accept(?:\ all)?(?:\ cookies)?
      | cookie\ (?:settings|preferences|policy)
    | (?:privacy|terms)(?:\ (?:policy|of\ (?:use|service)|statement|and\ conditions))? | all\ rights\ reserved
      | ©{_SOME}
    | was\ this\ (?:page|article)\ helpful | (?:comments?|leave\ a\ (?:comment|reply)|feedback|loading)
      | thank\ you{_SOME}
    | (?:download|get)\ (?:our|the)\ app{_SOME} | site\ ?map | accessibility | careers | about\ us | contact
      | photo\ credit{_SOME}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: Whole headings: "Other charges" and "Next steps" lead to what a reader came for.
_NAVIGATION = re.compile(
    r"(?:related|similar|popular|recommended|more|other|latest|recent|quick|useful|external|top|featured)"
    r"(?: (?:articles?|links?|posts?|stories|pages|content|resources|reading|news|topics|information"
    r"|sites?|websites?))?|(?:site |main |page |section )?(?:navigation|menu|links)|footer|breadcrumbs?"
    r"|social(?: media)?|(?:more|news) from (?:our|the|this) (?:blog|site|web)|jump to"
    r"|connect(?: with us)?|follow|share|stay",
    re.IGNORECASE,
)
_NAMES_NOTHING = re.compile(
    r"(?:(?:further|more|additional|general) )?(?:overview|introduction|details?|documents?|summary|description"
    r"|information"
    r"|resources?|contents?|background|downloads?|attachments?|files|links?|media|images?|videos?|comments?)",
    re.IGNORECASE,
)
_CRUMBS = re.compile(r"home(?:\s*[>»›/|]\s*[^>»›/|.!?]{2,60}){1,8}", re.IGNORECASE)
_PARTS = re.compile(r"(?<![.!?;:|»>›•·/])[.!?;:|»>›•·/]+(?:\s+|$)|(?<!\s)\s+[-–—]\s+")


def reason_not_to_remove(
    leaf: Leaf, draft: LeafText, known: Collection[str] = (), names: Sequence[str] = ()
) -> Why | None:
    """Return why *leaf* of *draft* may not be removed; None when it may. *known*: folded boilerplate of the site.

    *names*: those of the page and its site that have figures, which are lost with no block ("Routing 2.0").
    """
    if leaf.kind not in {"heading", "paragraph"}:
        return (
            "removed_substance",
            f"a {('table' if leaf.kind == 'table' else 'block of ' + leaf.kind)} is not boilerplate",
        )
    if any(span.kind in {"struck", "code", "html"} for span in leaf.shown.spans):
        return "removed_substance", "it has struck-out text, code or HTML"
    return _protected_content(leaf, draft, names) or _reason_no_boilerplate(leaf, draft, known, names)


def reason_not_to_empty(leaf: Leaf, draft: LeafText, names: Sequence[str] = ()) -> Why | None:
    """Return the same for a heading without text left below it."""
    if (why := _protected_content(leaf, draft, names)) is not None:
        return why
    text = leaf.shown.text
    if _is_call_to_action(text) or _is_navigation_heading(text) or _NAMES_NOTHING.fullmatch(text.strip(" :.")):
        return None
    return "removed_substance", "it may be a statement of its own"


def _protected_content(leaf: Leaf, draft: LeafText, names: Sequence[str]) -> Why | None:
    text = _HARMLESS.sub("you", leaf.shown.text)
    figures = without_figures_of(text, names)
    if any(map(str.isnumeric, figures)) or _AMOUNT.search(figures) or any(numbers_in_words(figures)):
        return "removed_number", "it has a number, a date or an amount"
    for pattern, code, says in (
        (NEGATION, "removed_negation", "it has a denial or an exception"),
        (_OBLIGATION, "removed_obligation", "it has an obligation or a permission"),
        (_STATUS, "removed_status", "it states whether something is in effect"),
        (_DEFINITION, "removed_definition", "it defines a term"),
    ):
        if found := pattern.search(text):
            return code, f"{says}: {found[0]!r}"
    if (term := _defined_term(text, draft)) is not None:
        return "removed_definition", f"it has {term!r}, which the text defines"
    if any(_DOCUMENT.search(span.value) for span in leaf.shown.spans):
        return "removed_document", "it links to a document"
    if citations.find(text):
        return "removed_citation", "it has a citation"
    return None


def _defined_term(text: str, draft: LeafText) -> str | None:
    folded = text.casefold()
    terms = (found[1] for found in _DEFINED.finditer(draft.markdown))
    return next((term for term in terms if re.search(rf"\b{re.escape(term.casefold())}\b", folded)), None)


def _reason_no_boilerplate(leaf: Leaf, draft: LeafText, known: Collection[str], names: Sequence[str]) -> Why | None:
    text = leaf.shown.text
    if len(text.split()) > MAX_WORDS:
        return "removed_substance", f"{len(text.split())} words are too many for boilerplate"
    if (
        text.casefold() in known
        or _is_call_to_action(without_figures_of(text, names))
        or _is_breadcrumb_trail(leaf, draft, names)
        or (leaf.kind == "paragraph" and _is_only_navigation_links(leaf, draft))
    ):
        return None
    return "removed_substance", "no sign of boilerplate"


def _is_call_to_action(text: str) -> bool:
    parts = [part.strip(" ()[]\"'*→←↑↓▲▼►◄«»‹›<>,") for part in _PARTS.split(text)]
    return all(_CALLS.fullmatch(part) for part in parts if part)


def _is_breadcrumb_trail(leaf: Leaf, draft: LeafText, names: Sequence[str]) -> bool:
    """Return whether *leaf* is a breadcrumb trail: each step is a link, a heading of the page, or a call to action."""
    text = without_figures_of(leaf.shown.text, names)
    if not _CRUMBS.fullmatch(text):
        return False
    known = [one.shown.text for one in draft.leaves if one.kind == "heading"]
    known += [leaf.shown.text[span.start : span.end] for span in leaf.shown.spans if span.kind == "link"]
    folded = {without_figures_of(one, names).strip().casefold() for one in known}
    steps = (step.strip() for step in re.split(r"[>»›/|]", text))
    return all(step.casefold() in folded or _is_call_to_action(step) for step in steps)


def _is_navigation_heading(heading: str) -> bool:
    """Whether *heading* is one of navigation."""
    return _NAVIGATION.fullmatch(heading.strip(" :.…")) is not None or _is_call_to_action(heading)


def _leads_to_heading(span: Span, leaf: Leaf, draft: LeafText) -> bool:
    """Return whether the link points to a heading of its own page with the same words, so that no words are lost."""
    words = leaf.shown.text[span.start : span.end].casefold()
    return span.value.startswith("#") and any(
        one.kind == "heading" and one.shown.text.casefold() == words for one in draft.leaves
    )


def _is_sentence(span: Span, leaf: Leaf) -> bool:
    """Return whether the link's words are a sentence, unlike titles of pages."""
    return leaf.shown.text[span.start : span.end].endswith(".")


def _is_only_navigation_links(leaf: Leaf, draft: LeafText) -> bool:
    """Return whether *leaf* has only links (or an image), below a navigation heading or into its own page."""
    covered = bytearray(len(leaf.shown.text))
    links = [span for span in leaf.shown.spans if span.kind in {"link", "image"}]
    for span in links:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    rest = "".join(char for char, linked in zip(leaf.shown.text, covered, strict=True) if not linked)
    if not links or any(map(str.isalnum, rest)):
        return False
    if not leaf.shown.text or all(_leads_to_heading(span, leaf, draft) for span in links):
        return True
    # What stands below "Contact" is how to reach somebody.
    leads = (one for one in _lead_lines(leaf, draft) if not one.strip().casefold().startswith("contact"))
    return not any(_is_sentence(span, leaf) for span in links) and any(map(_is_navigation_heading, leads))


def _lead_lines(leaf: Leaf, draft: LeafText) -> Sequence[str]:
    """Return the nearest heading, and for a list the line before it."""
    headings = draft.headings(leaf)[-1:]
    first = next((holder.first for holder in leaf.holders), leaf.number)
    before = next((one for one in reversed(draft.leaves[:first]) if not one.holders), None)
    if leaf.holders and before is not None and before.kind == "paragraph" and before.above == leaf.above:
        if len(before.shown.text.split()) <= 6:
            return [*headings, before.shown.text]
        return headings if before.number < first - 1 else []
    return headings


# Removed blocks: each is empty boilerplate, or a refusal.


class RemovalCheck:
    """The blocks of *draft* that a pairing has no partner for. *known*: folded texts of the site's boilerplate."""

    def __init__(self, draft: LeafText, pairing: Pairing, known: Collection[str], names: Sequence[str] = ()) -> None:
        self._draft = draft
        self._known = known
        self._names = names
        self._gone = set(pairing.gone)

    def refused(self, but: Collection[int]) -> Iterator[tuple[str, str, Leaf, None]]:
        """Why blocks may not be removed: code, words, block. *but*: blocks with a refusal already."""
        for number in sorted(self._gone.difference(but)):
            leaf = self._draft.leaves[number]
            if leaf.kind == "heading":
                # Where something below it remains, its place tells whether the heading is missed.
                why = None if self._stands_below(leaf) else reason_not_to_empty(leaf, self._draft, self._names)
            else:
                why = reason_not_to_remove(leaf, self._draft, self._known, self._names)
                why = why or self._leads(leaf) or self._is_choice(leaf)
            if why is not None:
                yield *why, leaf, None

    def _stands_below(self, heading: Leaf) -> bool:
        below = (leaf for leaf in self._draft.leaves[heading.number + 1 :] if heading.number in leaf.above)
        return any(leaf.number not in self._gone for leaf in below)

    def _is_choice(self, leaf: Leaf) -> tuple[str, str] | None:
        """Return whether a part of a list was removed: the items' common meaning may depend on all of them."""
        leaves, number = self._draft.leaves, leaf.number
        for step in (-1, 1):
            at = number + step
            while leaf.holders and 0 <= at < len(leaves) and leaves[at].holders:
                if at not in self._gone:
                    return "removed_substance", "the rest of its list remains"
                at += step
        return None

    def _leads(self, leaf: Leaf) -> tuple[str, str] | None:
        following = self._draft.leaves[leaf.number + 1 : leaf.number + 2]
        if leaf.shown.text.endswith(":") and following and following[0].number not in self._gone:
            return "lead_dropped", "the text that it introduces remains"
        return None
