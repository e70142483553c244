"""``scrapy completion``: scripts by which shells complete commands, made from what the commands declare."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

import rori_spiders.commands
from rori_spiders.terminal.command import RoriCommand

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Scrapy's own that are of use here.
_SCRAPYS = ("check", "list", "version")


class Completion(RoriCommand):
    examples = (
        'eval "$(rori completion bash)"   # in ~/.bashrc',
        'eval "$(rori completion zsh)"    # in ~/.zshrc, after compinit',
        "rori completion fish > ~/.config/fish/completions/rori.fish",
    )
    usage = "bash|zsh|fish"
    summary = "Print a script by which a shell completes commands, verbs, options and values"
    description = (
        "The script completes `rori` and `scrapy`. Print it anew after an update: it starts no program itself."
    )
    requires_project = False
    needs_settings: ClassVar[bool] = False

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")

    def answer(self, opts: argparse.Namespace) -> int:
        places = dict(list_places())
        print(render_fish(places) if opts.shell == "fish" else render_bash(places, for_zsh=opts.shell == "zsh"), end="")
        return 0


@dataclass(slots=True)
class Place:
    """What may stand behind some words: words with their help, and the values of options."""

    words: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)


def list_commands() -> Iterator[tuple[str, ScrapyCommand]]:
    """The project's own commands by the names that people type."""
    for name in sorted(module.name for module in iter_modules(rori_spiders.commands.__path__)):
        module = import_module(f"rori_spiders.commands.{name}")
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
        top.words[name] = command.short_desc()
        found |= _places_of(parser, name)
    yield "", top
    yield from found.items()


def _places_of(parser: argparse.ArgumentParser, path: str) -> dict[str, Place]:
    place = Place()
    places = {path: place}
    for action in parser._actions:  # noqa: SLF001  (argparse has no public list of them)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            for verb, own in action.choices.items():
                place.words[verb] = helps.get(verb, "")
                places |= _places_of(own, f"{path} {verb}")
        elif action.help != argparse.SUPPRESS:
            choices = tuple(map(str, action.choices or ()))
            place.words |= dict.fromkeys(action.option_strings or choices, (action.help or "").replace("%%", "%"))
            place.values |= dict.fromkeys(action.option_strings if choices else (), choices)
    return places


_BASH = """\
_rori_words() {
  case "$1" in
%(words)s
  esac
}
_rori_values() {
  case "$1" in
%(values)s
  esac
}
_rori() {
  local place='' words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    words="${place:+$place }${COMP_WORDS[i]}"
    if [ -n "$(_rori_words "$words")" ]; then place="$words"; fi
  done
  words="$(_rori_values "$place ${COMP_WORDS[COMP_CWORD-1]}")"
  if [ -z "$words" ]; then words="$(_rori_words "$place")"; fi
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rori rori scrapy
"""


def render_bash(places: dict[str, Place], *, for_zsh: bool = False) -> str:
    """The script for bash, which zsh takes too."""
    words = [f"    '{path}') echo '{' '.join(place.words)}' ;;" for path, place in places.items()]
    values = [
        f"    '{path} {option}') echo '{' '.join(choices)}' ;;"
        for path, place in places.items()
        for option, choices in place.values.items()
    ]
    script = _BASH % {"words": "\n".join(words), "values": "\n".join(values)}
    return f"autoload -U +X bashcompinit && bashcompinit\n{script}" if for_zsh else script


_FISH = """\
function __rori_at
  set -l place
  for word in (commandline -opc)[2..-1]
    contains -- (string join -- ' ' $place $word) $__rori_places; and set -a place $word
  end
  test "$place" = "$argv[1]"
end
"""


def render_fish(places: dict[str, Place]) -> str:
    """The script for fish, with a help for each word."""
    lines = [f"set -g __rori_places {' '.join(_quote(path) for path in places if path)}"]
    for path, place in places.items():
        head = f"-f -n {_quote(f'__rori_at {_quote(path)}')}"
        for word, what in place.words.items():
            if not word.startswith("-"):
                named = f"-a {_quote(word)}"
            else:
                named = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
                if choices := place.values.get(word):
                    named += f" -xa {_quote(' '.join(choices))}"
            lines += [f"complete -c {program} {head} {named} -d {_quote(what)}" for program in ("rori", "scrapy")]
    return _FISH + "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    r"""*text* in fish's single quotes, where only ``\`` and ``'`` are escaped."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
