"""Editing the waivers in a settings file: every byte stays but for those of the entries concerned.

tomlkit reads the file and says where an entry begins and ends: it is given marks, as comments, and writes them out in
their places. The text itself is then cut and joined at those lines, for tomlkit does not write everything as it was: it
closes up the spaces in a header. What comes out is read again and compared with what it should hold; where that fails,
nothing is written, and what to add by hand is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from fusion_contracts.config.model import Waiver
from fusion_contracts.config.place import MARK, ConfigFile, dig
from fusion_contracts.config.writing import toml_text
from fusion_contracts.errors import FusionError

__all__ = ["waiver_lines", "with_waiver", "with_waiver_renewed", "without_waivers"]


def with_waiver(text: str, waiver: Waiver, place: ConfigFile) -> str:
    """Return the file's `text` with an entry behind the last waiver, or at its end.

    Raises FusionError, with the lines to add by hand, where that cannot be done.
    """

    def add(text: str, entries: Any) -> str:
        if entries is not None and not _is_array_of_tables(entries):
            return _mutated(text, place, lambda found: found.append(_inline(waiver)))
        lines = _lines(text)
        at = _behind(lines, _spans(text, place)[-1][1]) if entries else len(lines)
        gap = "\n" if lines[:at] and lines[at - 1].strip() else ""
        below = "\n" if lines[at:] and lines[at].strip() else ""
        return "".join(lines[:at]) + gap + waiver_lines(waiver, place) + below + "".join(lines[at:])

    return _edited(text, place, add, lambda waivers: [*waivers, _plain(waiver)], waiver)


def with_waiver_renewed(text: str, index: int, waiver: Waiver, place: ConfigFile) -> str:
    """Return the file's `text` with the reason and the day of an entry as `waiver` has them.

    Raises FusionError, with the lines of the entry, where that cannot be done.
    """

    def update(entry: Any) -> None:
        for key in ("reason", "until"):
            value = _plain(waiver).get(key)
            if value is not None:
                entry[key] = value
            elif key in entry:
                del entry[key]

    def renew(text: str, entries: Any) -> str:
        if not _is_array_of_tables(entries):
            return _mutated(text, place, lambda found: update(found[index]))
        lines = _lines(text)
        start, end = _spans(text, place)[index]
        entry = "".join(lines[start + 1 : end])
        return "".join([*lines[: start + 1], _changed(entry, update), *lines[end:]])

    def expected(waivers: Sequence[Any]) -> list[Any]:
        kept = {key: value for key, value in waivers[index].items() if key not in {"reason", "until"}}
        new = {key: value for key, value in _plain(waiver).items() if key in {"reason", "until"}}
        return [*waivers[:index], kept | new, *waivers[index + 1 :]]

    return _edited(text, place, renew, expected, waiver)


def without_waivers(text: str, indexes: Collection[int], place: ConfigFile) -> str:
    """Return the file's `text` without some of its waivers; comments above an entry stay.

    Raises FusionError where that cannot be done.
    """

    def drop(found: Any) -> None:
        for index in sorted(indexes, reverse=True):
            del found[index]

    def cut(text: str, entries: Any) -> str:
        if not _is_array_of_tables(entries):
            return _mutated(text, place, drop)
        lines = _lines(text)
        for start, end in sorted((_spans(text, place)[index] for index in indexes), reverse=True):
            blank = start and not lines[start - 1].strip() and not "".join(lines[end : end + 1]).strip()
            del lines[start - 1 if blank else start : end]
        return "".join(lines)

    def expected(waivers: Sequence[Any]) -> list[Any]:
        return [one for index, one in enumerate(waivers) if index not in indexes]

    return _edited(text, place, cut, expected)


def waiver_lines(waiver: Waiver, place: ConfigFile) -> str:
    """The TOML lines of a waiver, as they stand in the file at `place`; ends with a newline."""
    lines = [f"{key} = {_toml(value)}\n" for key, value in _plain(waiver).items()]
    return "".join([f"[[{place.prefix}waivers]]\n", *lines])


def _toml(value: Any) -> str:
    """A text, a list of texts, or a day."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if not isinstance(value, str):
        return str(value.isoformat())
    return toml_text(value)


def _plain(waiver: Waiver) -> dict[str, Any]:
    """The keys of an entry, without those that say nothing."""
    table: dict[str, Any] = {"fingerprints": list(waiver.fingerprints)} if waiver.fingerprints else {}
    if waiver.rule is not None:
        named = {"server": waiver.server, "tool": waiver.tool, "pointer": waiver.pointer}
        table = {"rule": waiver.rule, **{key: value for key, value in named.items() if value != "*"}}
    table["reason"] = waiver.reason
    return table if waiver.until is None else {**table, "until": waiver.until}


def _inline(waiver: Waiver) -> Any:
    import tomlkit

    table = tomlkit.inline_table()
    table.update(_plain(waiver))
    return table


# --- the file --------------------------------------------------------------------------------------------------------


def _edited(
    text: str,
    place: ConfigFile,
    edit: Callable[[str, Any], str],
    expected: Callable[[Sequence[Any]], list[Any]],
    waiver: Waiver | None = None,
) -> str:
    """The text after an edit of its lines, if it then holds what is expected; line ends and a byte order mark stay."""
    import tomli

    mark, body = (MARK, text.removeprefix(MARK)) if text.startswith(MARK) else ("", text)
    newline = "\r\n" if "\r\n" in body else "\n"
    before = dig(tomli.loads(body), place)
    wanted = {**before, "waivers": expected(before.get("waivers", []))}
    try:
        result = edit(body if not body or body.endswith("\n") else body + newline, _node(body, place))
        result = result.replace("\r\n", "\n").replace("\n", newline) if _one_ending(body) else result
        after = dig(tomli.loads(result), place)
        same = {**after, "waivers": after.get("waivers", [])} == wanted
        same = same and _rest(tomli.loads(result), place) == _rest(tomli.loads(body), place)
    except Exception:  # noqa: BLE001 - tomlkit raises many kinds, and any means that the file stays as it is
        same, result = False, ""
    if not same:
        raise _refused(place, waiver)
    return mark + result


def _one_ending(text: str) -> bool:
    return text.count("\r\n") in {0, text.count("\n")}


def _rest(document: dict[str, Any], place: ConfigFile) -> dict[str, Any]:
    """All of a document but for fusion's settings."""
    if not place.nested:
        return {}
    tools = {name: table for name, table in document.get("tool", {}).items() if name != "fusion"}
    return {**document, "tool": tools}


def _refused(place: ConfigFile, waiver: Waiver | None) -> FusionError:
    message = f"{place.path} cannot be edited without disturbing what else is in it"
    step = "remove the entries yourself"
    if waiver is not None:
        fields = ", ".join(f"{key} = {_toml(value)}" for key, value in _plain(waiver).items())
        step = f"write this into its list of waivers yourself: {{ {fields} }}"
    return FusionError(message, step, stage="usage")


def _node(text: str, place: ConfigFile, document: Any = None) -> Any:
    """The waivers in a document as tomlkit has them; None where there are none."""
    import tomlkit

    found: Any = tomlkit.parse(text) if document is None else document
    for key in ("tool", "fusion", "waivers") if place.nested else ("waivers",):
        if key not in found:
            return None
        found = found[key]
    return found


def _is_array_of_tables(node: Any) -> bool:
    from tomlkit.items import AoT

    return isinstance(node, AoT)


def _mutated(text: str, place: ConfigFile, change: Callable[[Any], None]) -> str:
    """The text after tomlkit changed the waivers in it. Raises ValueError where it would change more."""
    return _changed(text, lambda document: change(_node(text, place, document)))


def _changed(text: str, change: Callable[[Any], None]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    if tomlkit.dumps(document) != text:
        raise ValueError("tomlkit does not write it as it was")
    change(document)
    return tomlkit.dumps(document)


def _spans(text: str, place: ConfigFile) -> list[tuple[int, int]]:
    """The lines of each `[[waivers]]`: from its header up to, and without, the one after its last key."""
    import tomlkit
    from tomlkit.items import Comment, Trivia

    sign = "# mark"
    while sign in text:
        sign += "!"
    document = tomlkit.parse(text)
    entries = _node(text, place, document).body
    for entry in entries:
        body = entry.value.body
        last = max(place for place, (key, _) in enumerate(body) if key is not None)
        for index in (last + 1, 0):
            body.insert(index, (None, Comment(Trivia(comment=sign, trail="\n"))))
    marked = [number for number, line in enumerate(_lines(tomlkit.dumps(document))) if line == f"{sign}\n"]
    marks = [number - before for before, number in enumerate(marked)]  # where they would be without each other
    if len(marks) != 2 * len(entries):
        raise ValueError("the marks are not where they were put")
    return [(start - 1, end) for start, end in zip(marks[::2], marks[1::2], strict=True)]


def _behind(lines: Sequence[str], end: int) -> int:
    """Where an entry goes that follows one which ends there: behind comments, unless they lead over to a header."""
    after = next((at for at in range(end, len(lines)) if not lines[at].startswith("#")), len(lines))
    return end if lines[after:] and lines[after].strip() else after


def _lines(text: str) -> list[str]:
    """The lines of a text that ends with one, as TOML counts lines."""
    return [f"{line}\n" for line in text.split("\n")[:-1]]
