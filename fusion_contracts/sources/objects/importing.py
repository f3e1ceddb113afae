"""Importing the module that holds an object, in this process, and one sentence for each way in which that fails."""

from __future__ import annotations

import importlib
import importlib.util
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType

from fusion_contracts.canonical import printable, shell_word, shortened
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.interrupt import EndedError
from fusion_contracts.sources.objects.target import Target

__all__ = ["LateError", "alarm", "folder_of", "imported", "own_line", "said"]

_PACKAGES = {  # import names of the frameworks, where the package to install has another
    "agents": "openai-agents", "fastmcp": "fastmcp", "langchain_core": "langchain-core", "mcp": "mcp",
    "mcp_types": "mcp", "pydantic_ai": "pydantic-ai-slim", "yaml": "pyyaml",
}  # fmt: skip
_SHOWN = 160  # characters of what an exception says


class LateError(BaseException):
    """The module is still being imported, or a factory runs on; no `except Exception` of theirs may take this."""


def imported(target: Target, root: Path, timeout: float, conceal: Callable[[str], str]) -> ModuleType:
    """The module of a target. A file inside a package is imported as its module, so that its relative imports work.

    Everything at its top level runs, as in any import, but what stands under `if __name__ == "__main__"`. `timeout` is
    in seconds, and holds where the system has alarms and in the main thread. Raises FusionError.
    """
    if target.file and not (root / target.file).is_file():
        raise FusionError(f"{printable(target.file)} does not exist", "check the path", stage="usage")
    importlib.invalidate_caches()  # the folder may have been looked at before the file was there
    try:
        with alarm(timeout):
            return _file(root / target.file) if target.file else importlib.import_module(target.module)
    except ModuleNotFoundError as error:
        raise _missing(error, target, root, conceal) from None
    except LateError as error:
        where = own_line(error.__traceback__, root, conceal)
        message = f"{_shown(target)} is still being imported after {timeout:g} s{where}"
        raise FusionError(message, _guard(target), stage="start") from None
    except EndedError:
        raise
    except SystemExit as error:
        where = own_line(error.__traceback__, root, conceal)
        raise FusionError(f"{_shown(target)} ends the process when it is imported{where}", _guard(target)) from None
    except SyntaxError as error:
        place = f": {Path(error.filename).name}, line {error.lineno}" if error.filename else ""
        raise FusionError(f"{_shown(target)} is not Python{printable(place)}: {error.msg}", "correct it") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the module raises is its own
        words = said(error, conceal) + own_line(error.__traceback__, root, conceal)
        message = f"{_shown(target)} cannot be imported: {words}"
        raise FusionError(message, f"correct it, or {_as_server(target)}", stage="start") from None


def folder_of(file: Path) -> Path:
    """The folder from which a file is imported: above its packages."""
    folder = file.resolve().parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _file(file: Path) -> ModuleType:
    path = file.resolve()
    parts = path.relative_to(folder_of(path)).with_suffix("").parts
    if len(parts) > 1:
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        module = importlib.import_module(name)
        if _is_at(module, path):
            return module
    return _alone(path)


def _alone(path: Path) -> ModuleType:
    """A file as a module of its own name, or of a made one where another module has that name."""
    taken = sys.modules.get(path.stem)
    if taken is not None and _is_at(taken, path):
        return taken
    free = taken is None and path.stem not in sys.stdlib_module_names and path.stem.isidentifier()
    name = path.stem if free else f"_fusion_object_{abs(hash(path)):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:  # only for a name that does not end in .py
        raise ImportError(f"no loader for {path.name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _is_at(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve() == path


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise LateError in what runs longer, where the system can: it may be waiting for a connection for ever."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, late)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)


# --- sentences -------------------------------------------------------------------------------------------------------


def _shown(target: Target) -> str:
    return printable(target.place)


def _missing(error: ModuleNotFoundError, target: Target, root: Path, conceal: Callable[[str], str]) -> FusionError:
    name = error.name or ""
    top = name.partition(".")[0]
    if not name:
        words = said(error, conceal) + own_line(error.__traceback__, root, conceal)
        return FusionError(f"{_shown(target)} cannot be imported: {words}", f"correct it, or {_as_server(target)}")
    if target.module and (name == target.module or target.module.startswith(f"{name}.")):
        message = f"there is no module {printable(name)} in this folder, in src, or installed beside fusion"
        return FusionError(message, "check the name, or run it with -C DIR", stage="usage")
    where = own_line(error.__traceback__, root, conceal)
    package = _PACKAGES.get(top, top.replace("_", "-"))
    install = f"install it beside fusion ({shell_word(sys.executable)} -m pip install {printable(package)})"
    message = f"{_shown(target)} needs the module {printable(name)}, which is not installed here{where}"
    return FusionError(message, f"{install}, or {_as_server(target)}", stage="start")


def _as_server(target: Target) -> str:
    words = shell_word(target.file) if target.file else target.command
    return f"start it as a server: fusion lock -- python {words}"


def _guard(target: Target) -> str:
    return f'put what runs the server under if __name__ == "__main__":, or {_as_server(target)}'


def said(error: BaseException, conceal: Callable[[str], str]) -> str:
    """An exception's type and the first line of its words, fit to show."""
    told = str(error).strip().partition("\n")[0]
    words = printable(conceal(told))[:_SHOWN]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def own_line(trace: TracebackType | None, root: Path, conceal: Callable[[str], str]) -> str:
    """The last line of a traceback that is the project's own: ` (server.py, line 3: mcp.run())`; "" for none."""
    top = root.resolve()
    for frame in reversed(traceback.extract_tb(trace)):
        path = Path(frame.filename)
        own = path.is_absolute() and path.is_relative_to(top) and "site-packages" not in path.parts
        if own or (path.is_absolute() and not path.is_relative_to(sys.prefix) and _is_written(path)):
            line = f": {shortened(conceal(frame.line))}" if frame.line else ""
            return f" ({printable(path.name)}, line {frame.lineno}{line})"
    return ""


def _is_written(path: Path) -> bool:
    """Whether a file outside the project is somebody's own code: no library, nothing of Python, nothing of ours."""
    ours = Path(__file__).parents[2]
    library = {"site-packages", "dist-packages"} & {*path.parts}
    return not library and not path.is_relative_to(ours) and not path.is_relative_to(sys.base_prefix)
