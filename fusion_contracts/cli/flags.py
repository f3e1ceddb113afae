"""Flags that stand in the settings: what the command line does not give is taken from there.

A flag of one command stands in the table of that command (`[check]`, `offline = true`), one that several share at the
top as well; the key is the long flag's name. The command line wins over the table, and the table over the top. Nothing
lists the flags: they are read from the commands, so that a new flag can be set without further code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias

import typer

from fusion_contracts.cli.app import COMMANDS, parameters
from fusion_contracts.config import ConfigFile, keys_of, unknown_key
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record

__all__ = ["UNSETTABLE", "Flag", "flags_in", "flags_of", "given", "judge", "shared"]

Kind: TypeAlias = Literal["flag", "number", "text", "texts"]

UNSETTABLE = {
    "-C": "it says which folder's settings are read",
    "--config": "it says which settings are read",
    "--help": "it is a question, and ends the command",
    "--version": "it is a question, and ends the command",
    "--name": "it belongs to the SOURCE of the command line: the key of [sources] is a source's name",
    "--pass-env": "it belongs to the SOURCE of the command line: a source of [sources] has its own pass-env",
    "--header": "it belongs to the SOURCE of the command line: a source of [sources] has its own headers",
    "--transport": "it belongs to the SOURCE of the command line: a source of [sources] has its own transport",
    "--input": "its value may be a secret, and settings are committed: set its variable in the environment",
    "--scheduler": "it says which machines run the servers: whoever trusts them says so each time",
    "lock --resume": "it takes over what was listed earlier: whoever wants that says so each time",
    "lock --check": "the settings would make another command of it: [lock] would never write again",
    "lock --write": "it accepts changes where CI is set: whoever accepts them says so each time",
    "lock --prune": "it deletes: whoever deletes says so each time",
    "merge-driver --install": "it sets a clone up, once",
    "merge-driver --global": "it sets a clone up, once",
    "report --since": "it says which calls this one report is about",
    "report --compare": "it says which calls this one report is about",
    "watch --once": "the settings would make another command of it: [watch] would never stay",
    "waive --prune": "it deletes: whoever deletes says so each time",
    "waive --rule": "a waiver is written once, by whoever accepts a change",
    "waive --tool": "a waiver is written once, by whoever accepts a change",
    "waive --pointer": "a waiver is written once, by whoever accepts a change",
    "waive --reason": "a waiver is written once, by whoever accepts a change",
    "waive --until": "a waiver is written once, by whoever accepts a change",
}
"""Flags that no settings hold, each with its reason: of every command, or of one."""


@record
class Flag:
    """One flag of one command, as settings hold it: `key`, what kind of value, and the words that it may be."""

    command: str
    key: str
    kind: Kind
    words: tuple[str, ...]
    help: str
    parameter: Any

    @property
    def name(self) -> str:
        """The name under which typer hands it to the command."""
        return str(self.parameter.name)

    def taken(self, value: Any) -> Any:
        """A value of the settings as the command line would give it. Raises ValueError saying what it must be."""
        if self.kind == "flag" and isinstance(value, bool):
            return value
        if self.kind == "number" and type(value) is int:
            return self._checked(str(value))
        if self.kind == "text" and isinstance(value, str):
            return self._checked(value)
        if self.kind == "texts" and isinstance(value, list) and all(isinstance(one, str) for one in value):
            return self._checked(value)
        raise ValueError(f"must be {_KINDS[self.kind]}")

    def _checked(self, value: Any) -> Any:
        """The value, if the flag's own check lets it pass on the command line."""
        try:
            if self.parameter.callback is not None:
                self.parameter.callback(None, self.parameter, value)
        except typer.BadParameter as error:
            raise ValueError(f"is wrong: {error.message.rstrip('.')}") from None
        return value


_KINDS: dict[Kind, str] = {
    "flag": "true or false",
    "number": "a whole number",
    "text": "a string",
    "texts": "a list of strings",
}


def flags_in(command: str, parameters: Iterable[Any]) -> Iterator[Flag]:
    """The flags among a command's parameters that settings may hold."""
    for one in parameters:
        long = next((word for word in one.opts if word.startswith("--")), None)
        if long is None or long in UNSETTABLE or f"{command} {long}" in UNSETTABLE:
            continue
        number = one.metavar in {"N", "N|0", "SECONDS"}
        kind: Kind = "flag" if one.is_flag else "texts" if one.multiple else "number" if number else "text"
        yield Flag(command, long.removeprefix("--"), kind, _words(one.metavar or ""), str(one.help or ""), one)


def _words(metavar: str) -> tuple[str, ...]:
    """What a metavar such as `declared|open` lists; nothing of one in capitals, which stands for any text."""
    return tuple(metavar.split("|")) if metavar and metavar == metavar.lower() else ()


@cache
def flags_of(command: str) -> dict[str, Flag]:
    """The flags of a command by key. Loads the command's module."""
    return {flag.key: flag for flag in flags_in(command, parameters(command))}


@cache
def shared() -> dict[str, Flag]:
    """The flags that stand at the top too: several commands have the same, and no key of `Config` is called so.

    `formats` is what `--format` is at the top, for the commands that write several. Loads the modules of all commands:
    only for settings that hold such flags.
    """
    found: dict[str, list[Flag]] = {}
    for flag in (flag for command in COMMANDS for flag in flags_of(command).values()):
        found.setdefault(flag.key, []).append(flag)
    for key in (*keys_of(), "format"):
        found.pop(key, None)
    alike = {key: len({(flag.kind, flag.words) for flag in flags}) == 1 for key, flags in found.items()}
    return {key: flags[0] for key, flags in found.items() if alike[key] and len(flags) > 1}


def judge(others: Mapping[str, Any], place: ConfigFile) -> None:
    """Raise FusionError for the first of the settings' other keys that is no flag, or whose value does not suit it."""
    for key, value in others.items():
        if key in COMMANDS and isinstance(value, dict):
            _judge_command(key, value, place)
        elif key in shared():
            _require(shared()[key], value, place, key)
        elif key in COMMANDS:
            raise FusionError(f"{place.path}: {place.prefix}{key} must be a table", "correct the value", stage="usage")
        else:
            raise _misplaced(place, key) or unknown_key(place, key, {*keys_of(), *shared(), *COMMANDS})


def _misplaced(place: ConfigFile, key: str) -> FusionError | None:
    """That a flag stands at the top, which belongs into the table of its command; None where it is no flag."""
    tables = [f"[{place.prefix}{command}]" for command in COMMANDS if key in flags_of(command)]
    if not tables or key == "format":  # which is called formats at the top
        return None
    message = f"{place.path}: unknown key {place.prefix}{key}"
    return FusionError(message, f"it is a flag: write it in {' or '.join(tables)}", stage="usage")


def _judge_command(command: str, table: Mapping[str, Any], place: ConfigFile) -> None:
    flags = flags_of(command)
    for key, value in table.items():
        if key not in flags:
            raise _unknown(place, command, key, flags)
        _require(flags[key], value, place, f"{command}.{key}")


def _unknown(place: ConfigFile, command: str, key: str, flags: Mapping[str, Flag]) -> FusionError:
    reason = UNSETTABLE.get(f"--{key}") or UNSETTABLE.get(f"{command} --{key}")
    if reason is None:
        return unknown_key(place, f"{command}.{key}", flags)
    message = f"{place.path}: {place.prefix}{command}.{key} cannot be set"
    return FusionError(message, f"remove it: {reason}", stage="usage")


def _require(flag: Flag, value: Any, place: ConfigFile, path: str) -> None:
    try:
        flag.taken(value)
    except ValueError as error:
        raise FusionError(f"{place.path}: {place.prefix}{path} {error}", "correct the value", stage="usage") from None


def given(flags: Iterable[Flag], table: Mapping[str, Any]) -> dict[str, Any]:
    """What settings that were judged give to the flags of one command, by the names of its parameters.

    Raises ValueError for a wrong word in `formats`, which is not judged here.
    """
    found = {}
    own = set(keys_of())
    for flag in flags:
        here = table.get(flag.command)
        if isinstance(here, dict) and flag.key in here:
            found[flag.name] = flag.taken(here[flag.key])
        elif flag.key == "format" and flag.kind == "texts" and "formats" in table:
            found[flag.name] = flag.taken(table["formats"])
        elif flag.key in table and flag.key not in own and not isinstance(table[flag.key], dict):
            found[flag.name] = flag.taken(table[flag.key])
    return found
