"""What `fusion awareness` compares and prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import first_few, printable
from fusion_contracts.cli.output import OK, Writer, tell
from fusion_contracts.cli.project import Project, selected
from fusion_contracts.cli.releasing import release_folder
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import RELEASES
from fusion_contracts.record import record
from fusion_contracts.sources.naming import is_folder_name

if TYPE_CHECKING:
    from fusion_contracts.model import ServerContract
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.deltas import Delta
    from fusion_contracts.runtime.releases import Release

__all__ = ["Question", "answer"]

_LAST = 10  # releases, as the runtime does
_EVERY = 1_000_000  # of them: --since may name an old one
_MOST = 10  # names in a sentence
_NEAREST = 3


@record
class Question:
    """What the command line asks: one action or all, one release or the last ones."""

    project: Project
    action: str | None
    since: str | None
    servers: tuple[str, ...]


@record
class Known:
    """One server: the releases that its lock is compared with, and what they tell."""

    releases: tuple[str, ...]
    awareness: ContractAwareness

    @property
    def name(self) -> str:
        """The server's NAME."""
        return self.awareness.live.name


def answer(question: Question, writer: Writer) -> int:
    """Print what is known. Raises FusionError without releases, or for an action or a release that is not there."""
    from fusion_contracts.lockfile.disk import read_lock

    project = question.project
    lock = selected(read_lock(project.lock_path), question.servers, where=project.shown_lock)
    last = _LAST if question.since is None else _EVERY
    kept = {
        name: _releases(project, contract, last, alone=len(lock.servers) == 1)
        for name, contract in lock.servers.items()
    }
    _require_releases(kept)
    if question.since is not None:
        kept = _only(kept, question.since)
    known = [_known(lock.servers[name], releases) for name, releases in kept.items() if releases]
    asked = known if question.action is None else [one for one in known if question.action in _names(one)]
    if not asked:
        raise _no_action(question.action or "", known)
    shown = [(one, _told(one) if question.action is None else _about(one, question.action)) for one in asked]
    writer.text(_document(shown) if writer.machine else _page(shown, question))
    return OK


def _releases(project: Project, contract: ServerContract, last: int, *, alone: bool) -> tuple[Release, ...]:
    from fusion_contracts.runtime.releases import read_releases

    if not (alone or is_folder_name(contract.name)):
        return ()  # none can be kept of it
    return read_releases(release_folder(project, contract.name), contract.name, last=last)


def _require_releases(kept: dict[str, tuple[Release, ...]]) -> None:
    """Raise FusionError where no server has a release; name those without one where others have."""
    missing = [f"{RELEASES}/{printable(name)}" for name, releases in kept.items() if not releases]
    if len(missing) == len(kept):
        message = f"no release is kept: searched {first_few(missing, _MOST) or RELEASES}"
        raise FusionError(message, "keep one: fusion release")
    for place in missing:
        tell(f"note: no release is kept in {place}")


def _only(kept: dict[str, tuple[Release, ...]], name: str) -> dict[str, tuple[Release, ...]]:
    """The one release of that name, of each server that has it. Raises FusionError where none does."""
    found = {server: tuple(one for one in releases if one.name == name) for server, releases in kept.items()}
    if any(found.values()):
        return found
    names = [f"{printable(server)}/{printable(one.name)}" for server, releases in kept.items() for one in releases]
    raise FusionError(f"no release {printable(name)} is kept", f"there are: {first_few(names, _MOST)}", stage="usage")


def _known(contract: ServerContract, releases: Sequence[Release]) -> Known:
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.releases import deltas_since

    names = tuple(release.name for release in releases)
    return Known(names, ContractAwareness(contract, deltas_since(releases, contract)))


def _names(one: Known) -> set[str]:
    """Every action that can be asked about: those of the lock, and those that are gone."""
    from fusion_contracts.runtime.deltas import actions_of

    live = one.awareness.live.tools
    return {*live, *one.awareness.actions, *(key for tool in live.values() for key in actions_of(tool).schemas)}


def _no_action(action: str, known: Sequence[Known]) -> FusionError:
    from difflib import get_close_matches  # only on the way out

    names = sorted({name for one in known for name in _names(one)})
    near = get_close_matches(action, names, n=_NEAREST)
    nearest = f"; the nearest: {', '.join(map(printable, near))}" if near else ""
    message = f'there is no action "{printable(action)}"{nearest}'
    return FusionError(message, "fusion awareness lists those that changed", stage="usage")


@record
class Told:
    """What the model reads about one action: the block in its errors, or the error itself where it is gone."""

    action: str
    gone: bool
    text: str
    deltas: tuple[Delta, ...]


def _told(one: Known) -> list[Told]:
    return [told for action in one.awareness.actions for told in _about(one, action)]


def _about(one: Known, action: str) -> list[Told]:
    from fusion_contracts.runtime.missing_tool import unknown_action

    awareness = one.awareness
    deltas = awareness.deltas(action)
    if not deltas:
        return []
    gone = awareness.schema(action) is None
    text = unknown_action(action, awareness.live, awareness).to_xml() if gone else awareness.render(action)
    return [Told(action, gone, text, deltas)]


def _page(shown: Sequence[tuple[Known, list[Told]]], question: Question) -> str:
    """For people: names and texts are a server's, so nothing of them reaches the terminal unescaped."""
    return "\n".join("".join(f"{line}\n" for line in _lines(one, told, question)) for one, told in shown)


def _lines(one: Known, told: Sequence[Told], question: Question) -> Iterator[str]:
    releases = ", ".join(map(printable, one.releases))
    if not told:
        what = "" if question.action is None else f" about {printable(question.action)}"
        yield f"{printable(one.name)}: nothing to tell{what} since {releases}; errors stay as they are"
        return
    yield f"{printable(one.name)}: {question.project.shown_lock}, for agents that learned {releases}"
    for each in told:
        yield ""
        yield f"{printable(each.action)}{' (gone)' if each.gone else ''}"
        yield from map(printable, each.text.split("\n"))


def _document(shown: Sequence[tuple[Known, list[Told]]]) -> str:
    servers = {
        one.name: {"releases": list(one.releases), "actions": {each.action: _entry(each) for each in told}}
        for one, told in shown
    }
    return json.dumps({"servers": servers}, indent=2) + "\n"


def _entry(told: Told) -> dict[str, object]:
    keys = ("severity", "field", "text", "kind", "since", "gone", "successor", "carries")
    changes = [{key: getattr(delta, key) for key in keys} for delta in told.deltas]
    return {"live": not told.gone, "text": told.text, "changes": changes}
