"""The words, names and assertions of sentences: whether a sentence asserts or denies, whether two texts share their
words, whether a page has the names of a description. English only.  Input: plain text. Output: words with their
places, stretches, verdicts. Case, punctuation and thousands separators are ignored.
"""

import re
from collections.abc import Set
from typing import NamedTuple

_WORD = re.compile(r"(?:(?<![\w)])-)?\d(?:[\d.,]*\d)?|[^\W\d_]+|[%$€£§]")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


class Word(NamedTuple):
    """A word in its compared form, with its position."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of *text*: letters, numbers as a whole, signs of currency and percent."""
    return [Word(_fold_word(found[0]), *found.span()) for found in _WORD.finditer(text)]


def _fold_word(word: str) -> str:
    return word.replace(",", "") if _GROUPED.fullmatch(word) else word.casefold()


def find_words(wanted: list[Word], words: list[Word]) -> list[int]:
    """Where in *words* all of *wanted* stand, one after the other."""
    texts, sought = [word.text for word in words], [word.text for word in wanted]
    last = len(texts) - len(sought)
    return [at for at in range(last + 1) if sought and texts[at : at + len(sought)] == sought]


# Whether a page knows whom and what a field's description calls by name. In: a description; a page's text. Out: the
# first name that the page does not have. A made-up programme has no fee.

#: Words in capitals that do not merely begin a sentence.
_NAME = re.compile(r"(?<![.!?;:(] )(?<!^)\b[A-Z][\w'-]*(?: (?:(?:of|the|and|for|to|in) )*[A-Z][\w'-]*)*")
_CAPITAL = re.compile(r"[A-Z][\w'-]*")


def unknown_name(description: str, page: str) -> str | None:
    """The first name in *description* that *page* does not have; None where it has all.

    A page has a name by more than half of its words, or by its initials.
    """
    return next(
        (found[0] for found in _NAME.finditer(description) if not _has_words(page, _CAPITAL.findall(found[0]))), None
    )


def _has_words(page: str, words: list[str]) -> bool:
    known = sum(re.search(rf"\b{re.escape(word)}\b", page, re.IGNORECASE) is not None for word in words)
    initials = "".join(word[0] for word in words)
    return 2 * known > len(words) or (len(words) > 1 and re.search(rf"\b{initials}\b", page) is not None)


# Whether a sentence denies, and the whole of the sentence that a quote was cut from.

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nor|neither|without|cannot|nothing|nobody|hardly|non)\b|n't\b|\b(?:non|un)-", re.IGNORECASE
)
_DENIALS = re.compile(
    r"\b(prohibit|forbid|forbad|bann|ban\b|exempt|exclud|waiv|lack|fail|refus|den(?:y|ie)|withdr|repeal|revok|discontinu)\w*",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(r"\b(?:unless|except|only if|whether)\b", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"[.!?;][\"')]* (?=[A-Z\"'(\[])")
#: What is farther away, in characters, is taken for another sentence.
_REACH = 600


_SAYS_LITTLE = (
    "the and for are was has had not may any its all can who but one two whether this that these those with from have"
    " been were will would shall should must does which there their them they page value field true false when where"
    " what only also other such than then into upon each every more most"
)
_EMPTY = frozenset(_SAYS_LITTLE.split())
_SAYS_HOW_MUCH = (
    "minimum maximum min max least highest lowest longest shortest largest number numbers percent percentage amount"
    " day days month months year years hours dollars required allowed name names date list"
)
#: Words of a field that name an amount or a unit, not a subject.
_MEASURES = frozenset(_SAYS_HOW_MUCH.split())


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole sentences around ``text[start:end]``: words omitted from a quote may reverse its meaning."""
    before = [
        one.end() for one in _SENTENCE_ENDS.finditer(text, max(0, start - _REACH), start + 1) if one.end() <= start
    ]
    after = _SENTENCE_ENDS.search(text, max(start, end - 1), end + _REACH)
    return (before[-1] if before else max(0, start - _REACH)), (
        after.start() + 1 if after else min(len(text), end + _REACH)
    )


def asserts_or_denies(sentence: str, about: str) -> bool | None:
    """Whether *sentence* asserts or denies; None where it may be either: denied twice, or on a condition.

    *about*: name and description of the field. What it denies itself ("whether penalties are prohibited") is no denial
    in the sentence.
    """
    denied_in_question = {found[1].lower() for found in _DENIALS.finditer(about)}
    denials = len(_NEGATION.findall(sentence))
    denials += sum(found[1].lower() not in denied_in_question for found in _DENIALS.finditer(sentence))
    if denials > 1 or _CONDITIONS.search(sentence):
        return None
    return denials == 0


def share_a_word(sentence: str, about: str) -> bool:
    """Whether both have a word of three letters or more in common, endings aside."""
    return bool(_word_stems(sentence) & _word_stems(about))


def mentions_subject(text: str, name: str, description: str, kinds: Set[str] = frozenset()) -> bool:
    """Whether *text* has half of the words of *name*, or of *description*, and two at least where there are so many.

    Endings aside; words that only measure do not count, unless there are no others. Of "board, commission or committee"
    one is enough. A value that shows what it is, such as a telephone number, needs no word for that: *kinds*.
    """
    words = _word_stems(text)
    named = [{stem} for stem in _word_stems(name, _EMPTY | _MEASURES) or _word_stems(name)]
    described = _word_groups(description)
    if any(wanted and _count(wanted, words) >= _words_needed(len(wanted)) for wanted in (named, described)):
        return True
    others = [one for one in described if kinds and not one & kinds]
    return 0 < len(others) < len(described) and 2 * _count(others, words) >= len(others)


def count_words(text: str, about: str) -> int:
    """How many words of *about* are in *text*, endings aside."""
    return len(_word_stems(text) & _word_stems(about))


def is_distinguished(text: str, subject: str, about: str, kinds: Set[str] = frozenset()) -> bool:
    """Whether *text* has a word of a field that the *subject* of its page has not, or the *kinds* of a value one.

    What a page is about says nothing of which of its values this is.
    """
    wanted = _word_stems(about)
    return names_a_kind(about, kinds) or not (wanted & _word_stems(text)).issubset(_word_stems(subject))


def names_a_kind(about: str, kinds: Set[str]) -> bool:
    """Whether a field asks for what a value shows that it is."""
    return not kinds.isdisjoint(_word_stems(about))


_ALTERNATIVES = re.compile(r"(?<!\w)\w+(?:, \w+){0,20},? or \w+")


def _word_groups(description: str) -> list[set[str]]:
    """The words of a description, each alone but for alternatives."""
    besides = _EMPTY | _MEASURES if _word_stems(description, _EMPTY | _MEASURES) else frozenset[str]()
    groups = [_word_stems(found[0], besides) for found in _ALTERNATIVES.finditer(description)]
    rest = _word_stems(_ALTERNATIVES.sub(" ", description), besides)
    return [one for one in groups if one] + [{stem} for stem in sorted(rest)]


def _count(wanted: list[set[str]], words: set[str]) -> int:
    return sum(not one.isdisjoint(words) for one in wanted)


def _words_needed(words: int) -> int:
    return max(min(words, 2), -(-words // 2))


def _word_stems(text: str, besides: frozenset[str] = _EMPTY) -> set[str]:
    words = re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))
    return {_stem_word(word) for word in words if word not in besides}


_ENDING = re.compile(r"(?:(?<=...)ing|(?<=....)ed|(?<=....)es?|(?<=...)s)$")
_SAME = {
    "start": "begin",
    "commence": "begin",
    "finish": "end",
    "conclude": "end",
    "telephone": "phone",
    "email": "mail",
    "venue": "location",
    "where": "location",
    "place": "location",
    "retain": "keep",
    "retention": "keep",
    "kept": "keep",
    "maintain": "keep",
}
_SAME_STEMS: dict[str, str] = {}


def _stem_word(word: str) -> str:
    """ "form" is "forms", "cancel" is "cancellation", and "meets" is "meeting"; "start" is "begin"."""
    stem = _ENDING.sub("", word)[:6]
    return _SAME_STEMS.get(stem, stem)


_SAME_STEMS.update({_stem_word(word): _stem_word(same) for word, same in _SAME.items()})

#: Values that show what they are, and the words for it: a telephone number, an e-mail address, a time, a street.
_STREETS = (
    "street|st|avenue|ave|boulevard|blvd|road|rd|drive|dr|lane|ln|court|ct|place|pl|plaza|square|sq|highway|hwy|parkway"
    "|pkwy|way|circle|terrace|broadway"
)
_KINDS = (
    (re.compile(r"\+?[\d(][\d ().\-/]{5,20}\d(?:,? (?:ext\.?|x) ?\d{1,6})?"), _word_stems("phone")),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), _word_stems("mail address")),
    (re.compile(r"\d{1,2}(?::\d{2})? ?[ap]\.?m\.?|noon|midnight", re.IGNORECASE), _word_stems("time")),
    (
        re.compile(rf"\d{{1,6}}(?:-\d{{1,6}})? (?:[\w.']+ ){{1,5}}(?:{_STREETS})\b\.?[^\n]{{0,40}}", re.IGNORECASE),
        _word_stems("street address location place"),
    ),
)
#: What stands behind the name of a city, and behind a street that is not called one; the words for both.
_STATE = r",? (?:[A-Z]{2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?),? \d{5}\b"
_STATE_BEHIND = re.compile(_STATE)
_CITY_BEHIND = re.compile(rf"(?:[ ,-]{{1,3}}\w+){{0,4}}[ ,]{{1,2}}[A-Z]\w+(?: [A-Z]\w+)?{_STATE}")
_ADDRESS = {False: _word_stems("city town location address place"), True: _word_stems("street address location place")}


#: The words for the only day that a page names, and for both ends of its only stretch of time.
A_DAY = _word_stems("date day")
_ENDS = (_word_stems("begin"), _word_stems("end"))
_TIME = r"(?:\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?|noon|midnight)"
_STRETCH = re.compile(rf"(?<![\d:/.$-])({_TIME}) ?(?:-|–|—|to|until|through) ?({_TIME})(?![\d:/%-])", re.IGNORECASE)


def only_stretch(text: str) -> tuple[str, str] | None:
    """The times between which something takes place, where *text* names one such stretch: "10 a.m. to noon"."""
    found = {(one[1], one[2]) for one in _STRETCH.finditer(text) if not (one[1] + one[2]).isdigit()}
    return found.pop() if len(found) == 1 else None


def kinds_of_stretch(value: object, stretch: tuple[str, str] | None) -> set[str]:
    """The word for what *value* is, if it is one end of *stretch*."""
    if stretch is None or not isinstance(value, str) or stretch[0] == stretch[1]:
        return set()
    return next((kinds for one, kinds in zip(stretch, _ENDS, strict=True) if words_of(one) == words_of(value)), set())


def kinds_of(value: object, text: str) -> set[str]:
    """The words for what *value* shows that it is, by its form or by what stands behind it in *text*."""
    if not isinstance(value, str):
        return set()
    kinds = [kind for form, kind in _KINDS if form.fullmatch(value)]
    at, is_street = text.find(value), value[:1].isdigit()
    if at >= 0 and (_CITY_BEHIND if is_street else _STATE_BEHIND).match(text, at + len(value)):
        kinds.append(_ADDRESS[is_street])
    return set().union(*kinds)
