"""Every regular expression of the package, and the texts on which each would be slow if it can be.

``python -m tests.house.regular_expressions`` prints the patterns as JSON, in a process of its own, because it records
them while the package is imported. Out: patterns with their flags, their place and how they are used; texts for each.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import pkgutil
import re
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from re import _constants as sre
from re import _parser as sre_parser
from typing import TYPE_CHECKING, Any

import rori_spiders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PACKAGE = Path(rori_spiders.__file__).parent
#: Methods that look at one place; all others look for one.
_ANCHORED = frozenset({"match", "fullmatch"})
_METHODS = frozenset({*_ANCHORED, "search", "sub", "subn", "split", "findall", "finditer"})
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
#: From here on a repeat counts as one without a bound.
_LONG = 1_000
#: What a set of characters is tried with, the first of them that it holds.
_CANDIDATES = " \n\ta0A.-_/<>()[]\"',:;|*#=&\\`~!?$%+@{}^\x0b\xa0é§–’\u2003\ud800"
_TRIED = 4
#: The most texts that a pattern gets: of long lists of words the first repeats are like the others.
_MAX_ATTACKS = 32
#: A character that hardly a pattern allows: what came before is tried in all ways.
_END = "\x00"
_ANY_PATTERN = (" ", "\n", "a", "0", "a ", "[", "<a ")


@dataclass(frozen=True, slots=True)
class Expression:
    """A pattern (*binary*: of bytes, here as Latin-1), where it is made, and the methods by which it is used."""

    pattern: str
    flags: int
    binary: bool
    where: str
    methods: tuple[str, ...]  # empty: nobody can tell; any may be used

    def compile(self) -> re.Pattern[Any]:
        return re.compile(self.pattern.encode("latin-1") if self.binary else self.pattern, self.flags)

    def run(self) -> Callable[[Any], Any]:
        """How a text is put through it, in the way that it is used which looks at the most."""
        compiled = self.compile()
        if self.methods and _ANCHORED.issuperset(self.methods):
            return compiled.fullmatch if "match" not in self.methods else compiled.match
        if self.methods == ("search",):
            return compiled.search
        return lambda text: [0 for _ in compiled.finditer(text)]

    def attacks(self, length: int) -> Iterator[str | bytes]:
        """Texts of about *length* characters: each repeat fed with what it takes, and then with what it does not."""
        for first, again in _attack_parts(self):
            text = first + again * max(1, length // len(again)) + _END
            yield text.encode("latin-1", "ignore") if self.binary else text


@cache
def _attack_parts(one: Expression) -> list[tuple[str, str]]:
    """(how a text begins, what it then repeats) of each attack."""
    parsed = sre_parser.parse(one.pattern.encode("latin-1") if one.binary else one.pattern, one.flags)
    repeats = list(_pumps(parsed.data, ""))
    if not repeats:
        return []  # each place costs the same, however long the text
    parts = dict.fromkeys([*(("", pump) for pump in _ANY_PATTERN), *repeats])
    made = dict.fromkeys(
        way for before, pump in parts for way in ((before, pump), ("", before + pump), ("", before)) if way[1]
    )
    return list(made)[:_MAX_ATTACKS]


def _pumps(items: Iterable[tuple[Any, Any]], before: str) -> Iterator[tuple[str, str]]:
    """(what leads to it, what it repeats) of each repeat without a bound."""
    for operator, argument in items:
        if operator in _REPEATS:
            _, most, body = argument
            if most >= _LONG:
                yield from ((before, sample) for sample in _samples(body.data) if sample)
            yield from _pumps(body.data, before)
        else:
            for body in _bodies(operator, argument):
                yield from _pumps(body.data, before)
        before += next(iter(_samples([(operator, argument)])), "")


def _bodies(operator: Any, argument: Any) -> list[Any]:
    if operator is sre.SUBPATTERN:
        return [argument[-1]]
    if operator is sre.BRANCH:
        return list(argument[1])
    if operator is sre.ATOMIC_GROUP:
        return [argument]
    if operator in {sre.ASSERT, sre.ASSERT_NOT}:
        return [argument[1]]
    if operator is sre.GROUPREF_EXISTS:
        return [body for body in argument[1:] if body is not None]
    return []


def _samples(items: Iterable[tuple[Any, Any]]) -> list[str]:
    """A few texts that match *items*, roughly: references and assertions are left out."""
    found = [""]
    for operator, argument in items:
        choices = list(dict.fromkeys(_choices(operator, argument)))[: 2 * _TRIED]
        found = [found[at % len(found)] + choices[at % len(choices)] for at in range(max(len(found), len(choices)))]
    return list(dict.fromkeys(found))


def _choices(operator: Any, argument: Any) -> Iterator[str]:
    if operator is sre.LITERAL:
        yield chr(argument)
    elif operator is sre.NOT_LITERAL:
        yield from [char for char in _CANDIDATES if ord(char) != argument][:_TRIED]
    elif operator is sre.ANY:
        yield from ("a", " ", "<", "0")
    elif operator is sre.IN:
        yield from _members(argument)
    elif operator in _REPEATS:
        least, _, body = argument
        yield from (sample * max(1, min(least, 50)) for sample in _samples(body.data))
    elif operator in {sre.SUBPATTERN, sre.BRANCH, sre.ATOMIC_GROUP, sre.GROUPREF_EXISTS}:
        yield from chain.from_iterable(_samples(body.data)[:_TRIED] for body in _bodies(operator, argument))
    else:
        yield ""


def _members(items: list[tuple[Any, Any]]) -> list[str]:
    """Some characters of a set."""
    negated = items[0][0] is sre.NEGATE
    own = [chr(argument) for operator, argument in items if operator is sre.LITERAL]
    own += [chr(argument[0]) for operator, argument in items if operator is sre.RANGE]
    return [char for char in (*_CANDIDATES, *own) if _is_member(items, char) != negated][: 2 * _TRIED] or ["a"]


def _is_member(items: list[tuple[Any, Any]], char: str) -> bool:
    return any(
        ord(char) == argument
        if operator is sre.LITERAL
        else argument[0] <= ord(char) <= argument[1]
        if operator is sre.RANGE
        else re.fullmatch(_CATEGORIES[argument], char) is not None
        if operator is sre.CATEGORY
        else False
        for operator, argument in items
    )


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


# What the package compiles while it is imported, and what it names in a call.


def find_expressions() -> list[Expression]:
    """Import every module of the package and return the patterns of all. For a process of its own."""
    made: dict[tuple[str | bytes, int], set[str]] = defaultdict(set)
    compile_pattern = re.compile

    def recorded(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        compiled = compile_pattern(pattern, flags)
        caller = sys._getframe(1).f_code.co_filename
        if caller.startswith(str(PACKAGE)):
            made[compiled.pattern, compiled.flags].add(caller)
        return compiled

    re.compile = recorded
    modules = [importlib.import_module(name) for name in _module_names()]
    re.compile = compile_pattern
    used: dict[tuple[str | bytes, int], set[str]] = defaultdict(set)
    for module in modules:
        for key, methods in _uses(module):
            made[key].add(str(module.__file__))
            used[key] |= methods
    by_file = {str(module.__file__): module for module in modules}
    for key, places in made.items():
        if key not in used:  # only structures keep it
            used[key] = set().union(*(_methods_of_unnamed(by_file[place]) for place in places))
    return [_expression(key, places, used[key]) for key, places in made.items()]


def _expression(key: tuple[str | bytes, int], places: set[str], methods: set[str]) -> Expression:
    pattern, flags = key
    where = ", ".join(sorted(str(Path(place).relative_to(PACKAGE.parent)) for place in places))
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    return Expression(text, int(flags), isinstance(pattern, bytes), where, tuple(sorted(methods)))


def _module_names() -> Iterator[str]:
    for module in pkgutil.walk_packages(rori_spiders.__path__, "rori_spiders."):
        if not module.name.endswith("__main__") and "migrations.env" not in module.name:
            yield module.name


def _uses(module: Any) -> Iterator[tuple[tuple[str | bytes, int], set[str]]]:
    """Of each pattern that has a name in *module*, or stands in a call of it: by which methods it is used there."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    named = {name: value for name, value in vars(module).items() if isinstance(value, re.Pattern)}
    if not named and "re." not in source:
        return
    nodes = _nodes(module.__file__)
    attributes: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes[node.value.id].add(node.attr)
    for name, value in named.items():
        methods = attributes[name] & _METHODS
        elsewhere = len(re.findall(rf"\b{name}\b(?!\.(?:{'|'.join(_METHODS)})\b)", source)) > 1
        yield (value.pattern, value.flags), methods | (_methods_of_unnamed(module) if elsewhere else set())
    for node in nodes:
        if isinstance(node, ast.Call) and (method := _called_method(node)) and node.args:
            try:
                pattern = eval(compile(ast.Expression(node.args[0]), "", "eval"), dict(vars(module)))  # our own source
                compiled = re.compile(pattern, _flags_of(node, module))
            except (NameError, TypeError, AttributeError):  # made of the arguments of a function
                continue
            yield (compiled.pattern, compiled.flags), {method}


@cache
def _methods_of_unnamed(module: Any) -> set[str]:
    """By which methods *module* uses patterns without a name of their own: those in tuples, tables, dataclasses.

    ``any`` where it uses none itself. ``split`` is left out: strings have it, too.
    """
    named = {"re", *(name for name, value in vars(module).items() if isinstance(value, re.Pattern))}
    called = {
        node.func.attr
        for node in _nodes(module.__file__)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id in named)
    }
    return called & (_METHODS - {"split"}) or {"any"}


@cache
def _nodes(path: str) -> list[ast.AST]:
    """All nodes of the source at *path*."""
    return list(ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))))


def _called_method(node: ast.Call) -> str | None:
    """`re.METHOD(...)`, or `re.compile(...)` that is used on the spot or kept by a function of the package."""
    called = node.func
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re":
        return called.attr if called.attr in _METHODS else None
    return None


def _flags_of(node: ast.Call, module: Any) -> int:
    given = [word.value for word in node.keywords if word.arg == "flags"]
    return int(eval(compile(ast.Expression(given[0]), "", "eval"), dict(vars(module)))) if given else 0


if __name__ == "__main__":
    gc.disable()  # it would walk a million nodes of syntax again and again
    json.dump([asdict(one) for one in find_expressions()], sys.stdout)
