"""``scrapy completion``: scripts by which shells complete commands, made from what the commands declare."""

import argparse
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

import rori_spiders.terminal.commands
from rori_spiders.terminal.command import RoriCommand

#: Scrapy's own that are of use here.
_SCRAPYS = ("check", "list", "version")


class Completion(RoriCommand):
    examples = (
        'eval "$(rori completion bash)"   # in ~/.bashrc',
        'eval "$(rori completion zsh)"    # in ~/.zshrc, after compinit',
        "rori completion fish | tee ~/.config/fish/completions/{rori,scrapy}.fish > /dev/null",
    )
    usage = "bash|zsh|fish"
    summary = "Print a completion script for bash, zsh or fish"
    description = "The script completes `rori` and `scrapy`. Run it again after an update: the script is static."
    requires_project = False
    needs_settings: ClassVar[bool] = False

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")

    def answer(self, opts: argparse.Namespace) -> int:
        places = dict(list_places())
        print({"bash": render_bash, "zsh": render_zsh, "fish": render_fish}[opts.shell](places), end="")
        return 0


@dataclass(slots=True)
class Place:
    """What may stand behind some words: verbs and options with their help, and the values of options."""

    verbs: dict[str, str] = field(default_factory=dict)  # and the choices of arguments
    options: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    valued: set[str] = field(default_factory=set)  # options that take a value


def list_commands() -> Iterator[tuple[str, ScrapyCommand]]:
    """The project's own commands by the names that people type."""
    for name in sorted(module.name for module in iter_modules(rori_spiders.terminal.commands.__path__)):
        module = import_module(f"rori_spiders.terminal.commands.{name}")
        [kind] = [
            one
            for one in vars(module).values()
            if inspect.isclass(one) and issubclass(one, ScrapyCommand) and one.__module__ == module.__name__
        ]
        command = kind()
        command.settings = Settings()
        yield name, command


def list_places() -> Iterator[tuple[str, Place]]:
    """Each place by the words before it: ``""``, ``export``, ``export changes``."""
    found, top = dict[str, Place](), Place(dict.fromkeys(_SCRAPYS, "Scrapy's own"))
    for name, command in list_commands():
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.add_options(parser)
        top.verbs[name] = command.short_desc()
        found |= _places_of(parser, name)
    yield "", top
    yield from found.items()


def _places_of(parser: argparse.ArgumentParser, path: str) -> dict[str, Place]:
    place = Place()
    places = {path: place}
    chosen: list[str] = []  # arguments that stand there once
    for action in parser._actions:  # noqa: SLF001  (argparse has no public list of them)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            for verb, own in action.choices.items():
                place.verbs[verb] = helps.get(verb, "")
                places |= _places_of(own, f"{path} {verb}")
            if action.default is not None:  # the verb that runs where none is given
                default = places[f"{path} {action.default}"]
                place.options = default.options | place.options
                place.values |= default.values
                place.valued |= default.valued
        elif action.help != argparse.SUPPRESS:
            choices, names = tuple(map(str, action.choices or ())), action.option_strings
            what = dict.fromkeys(names or choices, (action.help or "").replace("%%", "%"))
            if not names:
                place.verbs |= what
                chosen += choices if action.nargs is None else ()
                continue
            place.options |= what
            place.values |= dict.fromkeys(names if choices else (), choices)
            place.valued |= set(names if action.nargs != 0 else ())
    places |= {f"{path} {one}": Place({}, place.options, place.values, place.valued) for one in chosen}
    return places


#: What follows a place, or an option: for bash in words, for zsh in an array.
_LOOKUPS = """\
_rori_words() {
  case "$1" in
%(words)s
  *) return 1 ;;
  esac
}
_rori_options() {
  case "$1" in
%(options)s
  *) return 1 ;;
  esac
}
_rori_values() {
  case "$1" in
%(values)s
  *) return 1 ;;
  esac
}
"""
_BASH = """\
_rori() {
  local place='' words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    words="${place:+$place }${COMP_WORDS[i]}"
    if [ -n "$(_rori_options "$words")" ]; then place="$words"; fi
  done
  words="$(_rori_values "$place ${COMP_WORDS[COMP_CWORD-1]}")"
  if [ -z "$words" ]; then
    case "${COMP_WORDS[COMP_CWORD]}" in
      -*) words="$(_rori_options "$place")" ;;
      *) words="$(_rori_words "$place")" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rori rori scrapy
"""


def render_bash(places: dict[str, Place]) -> str:
    """The script for bash. Options are offered behind a ``-`` alone: else they would hide verbs and files."""
    return (
        _LOOKUPS
        % {
            "words": _cases((path, " ".join(place.verbs)) for path, place in places.items()),
            "options": _cases((path, " ".join(place.options)) for path, place in places.items()),
            "values": _cases((key, " ".join(choices)) for key, choices in _list_values(places)),
        }
        + _BASH
    )


def _cases(named: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"    '{key}') echo '{words}' ;;" for key, words in named)


_ZSH = """\
_rori() {
  local place='' longer
  local -a found
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    longer="${place:+$place }${words[i]}"
    _rori_options "$longer" && place="$longer"
  done
  found=()
  if _rori_values "$place ${words[CURRENT-1]}"; then
    compadd -a found
  elif [[ "$PREFIX" == -* ]]; then
    _rori_options "$place" && _describe -o option found
  elif _rori_words "$place"; then
    _describe command found
  else
    _files
  fi
}
compdef _rori rori scrapy
"""


def render_zsh(places: dict[str, Place]) -> str:
    """The script for zsh, with a help for each word."""

    def cases(named: Iterable[tuple[str, Iterable[str]]]) -> str:
        rows = ((key, " ".join(map(_quote_for_zsh, words))) for key, words in named)
        return "\n".join(f"  '{key}') found=({words}) ;;" for key, words in rows if words)

    def described(helps: dict[str, str]) -> Iterator[str]:
        return (f"{word}:{what}" for word, what in helps.items())

    return (
        _LOOKUPS
        % {
            "words": cases((path, described(place.verbs)) for path, place in places.items()),
            "options": cases((path, described(place.options)) for path, place in places.items()),
            "values": cases(_list_values(places)),
        }
        + _ZSH
    )


def _list_values(places: dict[str, Place]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for path, place in places.items():
        for option, choices in place.values.items():
            yield f"{path} {option}", choices


def _quote_for_zsh(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_FISH = """\
function __rori_at
  set -l place
  for word in (commandline -opc)[2..-1]
    contains -- (string join -- ' ' $place $word) $__rori_places; and set -a place $word
  end
  test "$place" = "$argv[1]"
end
complete -c scrapy -w rori
"""


def render_fish(places: dict[str, Place]) -> str:
    """The script for fish, with a help for each word."""
    lines = [f"set -g __rori_places {' '.join(_quote(path) for path in places if path)}"]
    for path, place in places.items():
        head = f"complete -c rori -n {_quote(f'__rori_at {_quote(path)}')}"
        lines += [f"{head} -f -a {_quote(word)} -d {_quote(what)}" for word, what in place.verbs.items()]
        for word, what in place.options.items():
            named = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
            if choices := place.values.get(word):
                named += f" -xa {_quote(' '.join(choices))}"
            else:
                named += " -rF" if word in place.valued else " -f"
            lines.append(f"{head} {named} -d {_quote(what)}")
    return _FISH + "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    r"""*text* in fish's single quotes, where only ``\`` and ``'`` are escaped."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
