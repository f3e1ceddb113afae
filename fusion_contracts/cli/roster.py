"""Every server that a command may read: sources of the settings, and each server of the client configurations there.

A server of a client's configuration keeps the client's key as its NAME, without a prefix: it is the name that the
client shows to its model, and it must not change because another file joins. So two different servers of one NAME are
a problem that names both, and neither is read; the same server in two files is one server.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import chain, count
from pathlib import PurePath

from fusion_contracts import config
from fusion_contracts.canonical import printable
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.cli.wanted import Access, Wanted, rooted, source_of
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources.naming import is_folder_name

__all__ = [
    "Roster", "all_disabled", "configured", "expanded", "foreign", "key_of", "refuse_names", "servers", "spread",
]  # fmt: skip

_PLAIN = Access()


@dataclass(slots=True)
class Roster:
    """What is read, in the order in which it is told, and what cannot be.

    `disabled` says by NAME which configuration disables it; `names` holds every NAME that is spoken of, whether it is
    read or not; `foreign` those of client configurations, and `inputs` what these ask for. `blind`: a configuration
    could not be read, so that there may be more names. `label` is what the command line named.
    """

    wanted: list[Wanted] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    disabled: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    blind: bool = False
    label: str = ""


def configured(project: Project, globs: Sequence[str] = (), access: Access = _PLAIN) -> Roster:
    """The servers of the settings whose NAME matches `globs`, and what is wrong with the others.

    Raises FusionError for an input that no configuration asks for.
    """
    found = Roster()
    for key, entry in project.config.sources.items():
        try:
            source = source_of(project, entry)
        except FusionError as error:
            found.names.add(key)
            if matches(key, globs):
                found.problems.append(replace(error.problem, server=key, stage="usage"))
            continue
        one = Wanted(source, key, rooted(source.record, project.root), access.timeout or entry.timeout)
        if source.kind == "config":
            handed = replace(access, pass_env=(*entry.pass_env, *access.pass_env))
            _list(project, one, handed, found)
        elif entry.path is not None and entry.pass_env:
            problem = Problem(key, "usage", "has pass-env, and starts nothing", "remove it there")
            found.problems.append(problem)
        else:
            found.names.add(key)
            found.wanted.append(one)
    _refuse_unknown(access.inputs, found)
    return _settled(found, globs)


def spread(project: Project, one: Wanted, globs: Sequence[str] = (), access: Access = _PLAIN) -> Roster:
    """What the command line named, as servers: those of a client's configuration, else the one source.

    Raises FusionError for a configuration that cannot be read, or of which nothing is selected.
    """
    if one.source.kind != "config":
        return Roster([one], names={one.name} if one.name else set(), label=one.source.label)
    found = Roster(label=one.source.label)
    _list(project, one, access, found, strict=True)
    _refuse_unknown(access.inputs, found)
    names = printable(", ".join(sorted(found.names)))
    _settled(found, globs)
    label = one.source.label
    if found.wanted or found.problems:
        return found
    if found.disabled:
        raise all_disabled(found)
    if not names:
        raise FusionError(f"{label} names no server", "add one to it", stage="usage")
    message = f"{label} names no server that matches {printable(' or '.join(globs))}"
    raise FusionError(message, f"there are: {names}", stage="usage")


def _list(project: Project, one: Wanted, access: Access, found: Roster, *, strict: bool = False) -> None:
    """Add the servers of a client's configuration. One that cannot be read is a problem, or with `strict` is raised."""
    from fusion_contracts.sources.client_config import ClientConfigSource

    if not isinstance(one.source, ClientConfigSource):
        return
    where = one.source.label if one.name is None else f"{printable(one.name)} ({one.source.label})"
    options = project.options(pass_env=access.pass_env)
    try:
        listed = one.source.listed(replace(options, inputs=access.inputs))
    except FusionError as error:
        if strict:
            raise
        found.problems.append(replace(error.problem, server=one.name))
        found.blind = True
        return
    for name, served in listed.servers.items():
        record = rooted(served.source.record, project.root)
        found.wanted.append(Wanted(served.source, name, record, one.timeout, where, served.variables))
    found.problems += listed.problems
    found.disabled |= dict.fromkeys(listed.disabled, where)
    found.names |= listed.names
    found.foreign |= listed.names
    found.inputs |= listed.inputs


def _refuse_unknown(inputs: Mapping[str, str], found: Roster) -> None:
    """Raise FusionError for an input that nothing asks for: it is misspelled, or not needed any more."""
    for identifier in inputs:
        if identifier not in found.inputs:
            known = printable(", ".join(sorted(found.inputs)))
            step = f"there are: {known}" if known else "leave --input out"
            message = f"no client configuration asks for the input {printable(identifier)}"
            raise FusionError(message, step, stage="usage")


def _settled(found: Roster, globs: Sequence[str]) -> Roster:
    """The roster with what `globs` select of it, and with every NAME once."""
    by_name: dict[str | None, list[Wanted]] = {}
    for one in found.wanted:
        if one.name is None or matches(one.name, globs):
            by_name.setdefault(one.name, []).append(one)
    found.wanted = []
    found.problems = [one for one in found.problems if one.server is None or matches(one.server, globs)]
    for name, several in by_name.items():
        if name is None or all(one.source == several[0].source for one in several):
            found.wanted.append(several[0])
            continue
        places = " and ".join(dict.fromkeys(one.config or "the settings" for one in several))
        message = f"different servers have this NAME, in {places}"
        found.problems.append(Problem(name, "usage", message, "rename or disable one of them; neither is read"))
    there = {one.name for one in found.wanted}
    off = {name: where for name, where in found.disabled.items() if name not in there and matches(name, globs)}
    found.disabled = off
    if off:
        found.notes.append(f"disabled, and not read: {_told_disabled(found)}")
    return found


def refuse_names(found: Roster, locked: Collection[str], given: str | None) -> None:
    """Refuse a new NAME that people gave and that can be no folder's: no release of it could be kept later.

    One of the settings hides no other server, and one that is locked already stays. How a client's configuration calls
    its servers is not ours to say. Raises FusionError for the one that is `given` with --name.
    """
    told = "cannot be the name of a folder on every system, and releases are kept in one"
    for one in list(found.wanted):
        if one.config is not None or one.name is None or one.name in locked or is_folder_name(one.name):
            continue
        if one.name == given:
            raise FusionError(f'the --name "{printable(given[:100])}" {told}', "give another one", stage="usage")
        found.wanted.remove(one)
        found.problems.append(Problem(one.name, "usage", f"this NAME {told}", "rename the source in the settings"))


def all_disabled(found: Roster) -> FusionError:
    """Everything that was asked for is disabled."""
    message = f"nothing can be read, since this is disabled: {printable(_told_disabled(found))}"
    return FusionError(message, "enable one there, or name its command or URL", stage="usage")


def _told_disabled(found: Roster) -> str:
    """The disabled servers, by the configuration that disables them."""
    places = sorted(set(found.disabled.values()))
    names = {place: ", ".join(name for name, where in found.disabled.items() if where == place) for place in places}
    return "; ".join(f"{names[place]} in {place}" for place in places)


def servers(project: Project) -> dict[str, config.Source]:
    """What the settings name, by NAME: their own sources, and what each client's configuration starts or contacts."""
    found = {name: entry for name, entry in project.config.sources.items() if not _names_in(project, name)}
    for one in configured(project).wanted:
        if one.config is not None and one.name is not None and one.record is not None:
            found[one.name] = config.Source(command=one.record.command, url=one.record.url)
    return found


def expanded(project: Project, globs: Sequence[str]) -> tuple[str, ...]:
    """Globs of `-s`, and for one that matches the settings' key of a client's configuration the NAMEs in that file."""
    if not globs:
        return ()
    more: list[str] = []
    for key in project.config.sources:
        if matches(key, globs):
            more += [escape(name) for name in _names_in(project, key)]
    return tuple(dict.fromkeys((*globs, *more)))


def _names_in(project: Project, key: str) -> list[str]:
    """The NAMEs of a source of the settings that is a client's configuration; none of any other."""
    if project.config.sources[key].path is None:
        return []
    only = replace(project, config=replace(project.config, sources={key: project.config.sources[key]}))
    return sorted(configured(only).foreign)


def key_of(path: str, taken: Collection[str]) -> str:
    """A settings' key for a client's configuration: `.cursor/mcp.json` is `cursor`, `.mcp.json` is `mcp`."""
    parts = [part for part in PurePath(path).parts if part != ".."]
    folder = parts[-2] if len(parts) > 1 and parts[-2].startswith(".") else None
    word = re.sub("[^a-z0-9]+", "-", (folder or PurePath(path).stem).lower()).strip("-") or "clients"
    return next(one for one in chain((word,), (f"{word}-{number}" for number in count(2))) if one not in taken)


def foreign(project: Project) -> frozenset[str]:
    """The NAMEs that only client configurations of the settings bring: servers that are seldom the project's own."""
    return frozenset(name for key in project.config.sources for name in _names_in(project, key))
