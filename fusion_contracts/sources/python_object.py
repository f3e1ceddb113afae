"""A Python object that offers tools, imported into this process: `FILE.py[:ATTR]` and `package.module:ATTR`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from fusion_contracts.canonical import first_few, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import SourceRecord
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading, joined
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.objects.target import Target

__all__ = ["PythonSource", "read_object", "rooted", "seconds_of"]

_MAKES = ("make_", "create_", "build_")
_SECONDS = 60.0  # for the import, and again for the list: as much as a command has
_LONG = 12  # characters from which on a mixed value is no word
_TOLD = 5  # names of a module's objects in one sentence


@record
class PythonSource:
    """An object in a module. Reading it runs the module's code, as starting a server does."""

    kind: ClassVar[str] = "python"
    live: ClassVar[bool] = True

    target: Target

    @classmethod
    def parse(cls, text: str) -> PythonSource:
        """From `FILE.py[:ATTR]` or `package.module:ATTR`. Raises FusionError for any other text."""
        target = Target.of(text)
        if target is None:
            step = "write FILE.py[:ATTR] or package.module:ATTR, with () behind a factory"
            raise FusionError(f"{printable(text)} names no Python object", step, stage="usage")
        return cls(target)

    @property
    def label(self) -> str:
        """For people."""
        return printable(str(self.target))

    @property
    def record(self) -> SourceRecord:
        """What the lock keeps: the file as it was given; `read` stores it relative to the root."""
        return SourceRecord(kind="python", object=str(self.target))

    def read(self, options: Options) -> Reading:
        """Import the module, and list the object. Raises FusionError."""
        from fusion_contracts.sources.objects.importing import folder_of
        from fusion_contracts.sources.objects.surroundings import surroundings

        name = options.name or self.target.name
        record = SourceRecord(kind="python", object=str(self.target.relative(options.root)))
        if not options.announced:
            options.progress(f"{printable(name)}: importing {self.label}")
        first = folder_of(options.root / self.target.file) if self.target.file else None
        words = _Words(options)
        try:
            with surroundings(options.root, first):
                item = self._object(options, words)
                return read_object(item, self.label, options, source=record, name=self.target.name, words=words)
        except FusionError as error:
            raise FusionError.of(replace(error.problem, server=name)) from None

    def _object(self, options: Options, words: _Words) -> Any:
        from fusion_contracts.sources.objects.importing import imported

        root = Path()  # the surroundings' folder
        target = self.target.relative(options.root)
        module = imported(target, root, seconds_of(options), words.conceal)
        if not target.attr:
            return _only_server(module, self.label)
        found: Any = module
        for part in target.attr.split("."):
            try:
                found = getattr(found, part)
            except AttributeError:
                message = f"{printable(target.place)} has no {printable(target.attr)}"
                raise FusionError(message, _there_is(module), stage="usage") from None
        return _made(found, self.label, options, words) if target.call else found


def rooted(text: str, root: Path) -> str:
    """An object as a lock stores it: its file relative to the root, with forward slashes."""
    target = Target.of(text)
    return text if target is None else str(target.relative(root))


class _Words:
    """What may be shown of what code says: no value of a secret variable, and no folder but the project's."""

    def __init__(self, options: Options) -> None:
        from fusion_contracts.sources.secrets import is_secret_name, is_secret_value

        given = options.environ.items()
        self.values = [value for name, value in given if is_secret_name(name) or is_secret_value(value)]

    def conceal(self, text: str) -> str:
        """Words of the code, fit to show."""
        from fusion_contracts.sources.secrets import redact

        return redact(text, self.values)

    def explain(self, error: BaseException) -> str:
        """What was raised, and where in the project's own code."""
        from fusion_contracts.sources.objects.importing import own_line, said

        first = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        return said(first, self.conceal) + own_line(first.__traceback__, Path(), self.conceal)


def read_object(  # noqa: PLR0913 - what is read, how, and what it is called
    item: Any,
    label: str,
    options: Options,
    *,
    source: SourceRecord | None = None,
    name: str = "server",
    words: _Words | None = None,
) -> Reading:
    """The reading of an object that is imported already.

    `label` names it in messages, `name` is its NAME where the options have none. Of a mapping of several servers each
    key is a NAME, and the options' name chooses one. Raises FusionError for an object that offers no tools.
    """
    from fusion_contracts.sources.known import Known
    from fusion_contracts.sources.objects.listing import Asking, listings

    asking = Asking(label, seconds_of(options), options.protocol_version, (words or _Words(options)).explain)
    found = listings(item, asking)
    if "" not in found and options.name is not None:
        if options.name not in found:
            message, known = f"{label} holds no server {printable(options.name)}", printable(", ".join(found))
            raise FusionError(message, f"it holds: {known}", stage="usage")
        found = {options.name: found[options.name]}
    hidden = Known.of({key: value for key, value in options.environ.items() if _is_telling(value)}).stored
    return joined([
        contract_of(listing, name=key or options.name or name, source=source, volatile=options.volatile, hidden=hidden)
        for key, listing in found.items()
    ])  # fmt: skip


def _is_telling(value: str) -> bool:
    """Whether a variable that nobody handed over is looked for in a listing: no ordinary word may be taken for it.

    Else a lock would depend on the machine: where some SECRET is `production`, that word would be stored otherwise.
    """
    from fusion_contracts.sources.secrets import is_secret_value

    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_secret_value(value) or (len(value) >= _LONG and mixed)


def seconds_of(options: Options) -> float:
    """The seconds that an import has, and then a list, and a factory that makes the object."""
    return _SECONDS if options.timeout is None else options.timeout


def _made(factory: Any, label: str, options: Options, words: _Words) -> Any:
    """What a factory makes, awaited where it is a coroutine."""
    from fusion_contracts.sources.interrupt import EndedError
    from fusion_contracts.sources.jsonrpc import SilenceError
    from fusion_contracts.sources.objects.importing import LateError, alarm
    from fusion_contracts.sources.objects.serving import in_a_loop

    if not callable(factory):
        step = f"leave out the parentheses: {label.removesuffix('()')}"
        raise FusionError(f"{label} cannot be called", step, stage="usage")
    try:
        with alarm(seconds_of(options)):
            made = factory()
        return in_a_loop(_awaiting(made), seconds_of(options)) if inspect.isawaitable(made) else made
    except (SilenceError, LateError):
        said = f"has not returned after {seconds_of(options):g} s"
    except EndedError:
        raise
    except SystemExit as error:  # as argparse does: it would take every other source with it
        said = f"ends the process: {words.explain(error)}"
    except Exception as error:  # noqa: BLE001 - whatever the factory raises is its own
        said = f"fails: {words.explain(error)}"
    raise FusionError(f"{label} {said}", "correct it, or start it as a server after --", stage="start")


def _awaiting(made: Any) -> Callable[[], Any]:
    async def wait() -> Any:
        return await made

    return wait


def _only_server(module: ModuleType, label: str) -> Any:
    """The only server object of a module. Raises FusionError, naming what there is, for none and for several."""
    from fusion_contracts.sources.objects import Server, kind_of

    servers = {name: one for name, one in vars(module).items() if isinstance(kind_of(one), Server)}
    distinct = {id(one): name for name, one in reversed(servers.items())}
    if len(distinct) == 1:
        return next(iter(servers.values()))
    if not servers:
        raise FusionError(f"{label} holds no server object", _there_is(module), stage="usage")
    names = [name for name in servers if name in distinct.values()]
    shown = ", ".join(f"{label}:{printable(name)}" for name in names[:_TOLD])
    raise FusionError(f"{label} holds {len(names)} server objects", f"name one: {shown}", stage="usage")


def _there_is(module: ModuleType) -> str:
    """What a module holds that could be named, for the end of a sentence."""
    from fusion_contracts.sources.objects import kind_of

    items = {name: one for name, one in vars(module).items() if not name.startswith("_")}
    own = [name for name, one in items.items() if not isinstance(one, type) or one.__module__ == module.__name__]
    public = {name: kind_of(items[name]) for name in own}
    told = [f"{printable(name)} ({kind.title})" for name, kind in public.items() if kind is not None]
    functions = [name for name in own if inspect.isfunction(items[name]) and name.startswith(_MAKES)]
    made = [f"{printable(name)}()" for name in functions]
    found = told + made
    if not found:
        return "name another file, or the attribute that holds one: FILE.py:ATTR"
    return f"it has: {first_few(found, _TOLD)}"
