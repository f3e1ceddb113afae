"""Some servers' blocks replaced in the text of a lock; every other byte stays, comments included."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import HEADER, decode, encode_server
from fusion_contracts.lockfile.statements import statements
from fusion_contracts.model import Lock

__all__ = ["joined", "parted", "splice", "split"]


def splice(text: str, lock: Lock, names: Collection[str], *, origin: str = "the lock") -> str:
    """The text of a lock with the blocks of the servers `names` as `lock` has them.

    A name that `lock` does not hold is removed; one that the text does not hold gets its sorted place. The other
    servers keep their bytes: order, comments, line ends. Comments directly above a server's first header stay with
    that server. Raises FusionError when the text is no lock, or was rewritten by hand in a form without blocks.
    """
    before = decode(text, origin=origin)
    line_end = "\r\n" if "\r\n" in text else "\n"
    new = {name: encode_server(lock.servers[name]).replace("\n", line_end) for name in names if name in lock.servers}
    blocks = list(_blocks(text))
    for name in sorted(names):
        _put(blocks, name, new.get(name), line_end)
    spliced = "".join(block.text for block in blocks)
    kept = {name: server for name, server in before.servers.items() if name not in names}
    _check(spliced, Lock(kept | {name: lock.servers[name] for name in new}), origin)
    return spliced


def split(text: str, names: Iterable[str], *, origin: str = "the lock") -> dict[str, str]:
    """The text of a lock of its own for each of these servers: the text's head, then the server's block as it stands.

    Raises FusionError as `splice` does.
    """
    before = decode(text, origin=origin)
    line_end = "\r\n" if "\r\n" in text else "\n"
    head, *blocks = _blocks(text)
    _check(head.text, Lock(), origin)
    texts = {}
    for name in names:
        own = "".join(block.text for block in blocks if block.name == name)
        texts[name] = (head.text + own).rstrip("\r\n") + line_end
        _check(texts[name], Lock({name: before.servers[name]}), origin)
    return texts


def joined(texts: Iterable[str]) -> str:
    """One lock out of the texts of several, each as `encode` or `split` gives it."""
    bodies = ("".join(block.text for block in _blocks(text) if block.name is not None) for text in texts)
    return "\n".join([HEADER, *bodies])


@dataclass(slots=True)
class _Block:
    """Consecutive tables of one server (None: what stands before the first).

    `lead` is the comments directly above, `tail` the blank lines and comments below, up to the next block's lead.
    """

    name: str | None
    lead: str
    body: str
    tail: str = ""

    @property
    def text(self) -> str:
        return self.lead + self.body + self.tail


# --- finding the blocks ----------------------------------------------------------------------------------------------


def _blocks(text: str) -> Iterator[_Block]:
    """The text in blocks, which together are the text again."""
    block, aside = _Block(None, "", ""), ""  # aside: comments and blank lines whose owner is not known yet
    for line in statements(text):
        start = line.lstrip(" \t\ufeff")[:1]
        if start in ("", "#", "\r", "\n"):
            aside += line
            continue
        name = _server_of(line) if start == "[" else block.name
        if name == block.name:
            block.body += aside + line
        else:
            block.tail, lead = parted(aside)
            yield block
            block = _Block(name, lead, line)
        aside = ""
    block.tail = aside
    yield block


def _server_of(header: str) -> str | None:
    """The server that a table's header belongs to."""
    import tomli  # as in codec

    servers = tomli.loads(header).get("servers") or {}
    return next(iter(servers), None)


def parted(aside: str) -> tuple[str, str]:
    """What belongs to the block above, and the comments directly above the next header."""
    lines = aside.splitlines(keepends=True)
    count = len(lines)
    while count and lines[count - 1].lstrip(" \t").startswith("#"):
        count -= 1
    return "".join(lines[:count]), "".join(lines[count:])


# --- changing them ---------------------------------------------------------------------------------------------------


def _put(blocks: list[_Block], name: str, body: str | None, line_end: str) -> None:
    """Replace, insert or remove (`body` None) the block of one server."""
    places = [index for index, block in enumerate(blocks) if block.name == name]
    for index in reversed(places[1:] if body else places):
        _remove(blocks, index)
    if body and places:
        blocks[places[0]].body = body
    elif body:
        _insert(blocks, _Block(name, "", body), line_end)


def _remove(blocks: list[_Block], index: int) -> None:
    """Take a block out; comments that stand apart from it stay."""
    above, block = blocks[index - 1], blocks.pop(index)
    above.tail = (above.tail if "#" in above.tail else "") + block.tail


def _insert(blocks: list[_Block], block: _Block, line_end: str) -> None:
    """Put a block before the first that sorts behind it, with one blank line on either side."""
    name = block.name or ""
    index = next((at for at, other in enumerate(blocks) if (other.name or "") > name), len(blocks))
    above = blocks[index - 1]
    if not above.text.endswith("\n"):
        above.tail += line_end
    if not above.text.endswith(line_end * 2):
        above.tail += line_end
    if index < len(blocks):
        block.tail = line_end
    blocks.insert(index, block)


def _check(spliced: str, expected: Lock, origin: str) -> None:
    """Read what would be written: a lock rewritten by hand may hold a server in more places than its blocks."""
    try:
        intact = decode(spliced, origin=origin) == expected
    except FusionError:
        intact = False
    if not intact:
        raise FusionError(
            f"{printable(origin)} was rewritten by hand in a form that cannot be refreshed in part",
            "run `fusion lock` without -s to write it whole",
            stage="lock",
        )
