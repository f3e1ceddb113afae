"""`--debug`: what a bug report needs, on standard error, without secrets.

Steps and mistakes are told by the code as audit events of the interpreter (`sys.audit`), which cost nothing where
nobody listens: `fusion_contracts.step` with a sentence and, where there is one, a name; `fusion_contracts.fault` and
`fusion_contracts.refused` with an exception. This file is loaded, and listens, only for `--debug`. No event holds a
value of a variable, a call or an answer, and all that is printed is redacted.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import fusion_contracts
from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.output import tell
from fusion_contracts.sources.hidden_words import hidden_words
from fusion_contracts.sources.secrets import forms, is_secret_name, is_secret_value, redact

__all__ = ["Debugging"]

_FRAMEWORKS = ("fastmcp", "langchain-core", "langgraph", "mcp", "openai-agents", "pydantic-ai-slim")
_LONGEST = 1_000  # characters of a line: an exception's text may be an answer
_VARIABLE = re.compile(r"\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)")  # as clients write them too
_PACKAGE = Path(fusion_contracts.__file__).parent
_SURROUNDINGS = ("CI", "COLUMNS", "LANG", "LC_ALL", "NO_COLOR", "TERM")
_SETTINGS = ("fusion.toml", "pyproject.toml", "fusion.lock")
_MOST = 1 << 20  # bytes of a file in which variables are looked for

_listening: list[Debugging] = []  # an audit hook stays for as long as its process: one is enough
_hooked: list[bool] = []


class Debugging:
    """One run that is told about. `words` are those of the command line, `command` what stands behind `--`."""

    def __init__(self, words: Sequence[str], command: Sequence[str]) -> None:
        self._words = [*words, *(["--", *command] if command else [])]
        self._hidden = _values(os.environ, self._words)
        self._begin = self._last = time.perf_counter()
        self._told: list[BaseException] = []

    def __enter__(self) -> Self:
        """Say what runs, and listen."""
        for line in _head(self._words):
            self._tell(line)
        _listening.append(self)
        if not _hooked:
            _hooked.append(True)
            sys.addaudithook(_hook)
        return self

    def __exit__(self, *_: object) -> None:
        """Listen no more."""
        _listening.remove(self)

    def ended(self, code: int) -> int:
        """Say how it ended: the same code."""
        self._step(f"ends with {code}")
        return code

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take an event of the interpreter."""
        if event == "fusion_contracts.step":
            self._step(" ".join(map(str, arguments)))
        elif event == "fusion_contracts.fault" and arguments[0] not in self._told:
            self._told.append(arguments[0])
            self._step("meets a fault")
            for line in _traceback(arguments[0]):
                self._tell(line)
        elif event == "fusion_contracts.refused":
            self._step("refuses")
            for line in _frames(arguments[0].__traceback__):
                self._tell(line)
        elif event == "subprocess.Popen":
            self._step(f"starts {Path(os.fsdecode(arguments[0])).name}")

    def _step(self, said: str) -> None:
        now = time.perf_counter()
        self._tell(f"{now - self._begin:8.3f} s  +{now - self._last:.3f}  {said}")
        self._last = now

    def _tell(self, line: str) -> None:
        tell(f"debug: {printable(_at_home(redact(line, self._hidden))[:_LONGEST])}")  # cut last: see `redact`


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening and event.startswith(("fusion_contracts.", "subprocess.Popen")):
        with suppress(Exception):  # what is told to people ends no run
            _listening[-1].hear(event, arguments)


def _values(environ: Mapping[str, str], words: Sequence[str]) -> frozenset[str]:
    """The values not to be shown, in every form: of variables that are called secret, or that a `${VAR}` names."""
    named = {name for text in (*words, *_texts(words)) for name in _VARIABLE.findall(text)} - {"HOME", "PWD", "PATH"}
    return frozenset(
        form
        for name, value in environ.items()
        if value and (name in named or is_secret_name(name) or is_secret_value(value))
        for form in forms(value)
    )


def _texts(words: Sequence[str]) -> Iterator[str]:
    """What stands in the settings, in the lock, and in files that the command line names."""
    folders = ["", *(folder for flag, folder in pairwise(words) if flag == "-C")]
    for path in (Path(folder, name) for folder in folders for name in (*_SETTINGS, *words)):
        with suppress(OSError, ValueError):
            if path.is_file():
                with path.open("rb") as file:
                    yield file.read(_MOST).decode(errors="replace")


def _at_home(line: str) -> str:
    """The home folder, which is called after its owner, as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - raises nothing where there is none
    return line.replace(f"{home}/", "~/") if home.startswith("/") and len(home) > 1 else line


# --- what runs -------------------------------------------------------------------------------------------------------


def _head(words: Sequence[str]) -> Iterator[str]:
    yield f"fusion-contracts {fusion_contracts.__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield f"with {', '.join(_installed())}"
    yield f"runs fusion {' '.join(map(shell_word, hidden_words(words)))}"
    yield f"in {_folder()}; {_surroundings()}"


def _installed() -> list[str]:
    """What is installed of the packages that fusion asks for, and of those that it works with."""
    asked: list[str] = []
    with suppress(metadata.PackageNotFoundError):
        asked = metadata.requires("fusion-contracts") or []
    names = {match[0].lower() for one in asked if (match := re.match(r"[A-Za-z0-9._-]+", one))}
    return sorted(_with_version({*names, *_FRAMEWORKS}))


def _with_version(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"


def _folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return "a folder that is no more"


def _surroundings() -> str:
    terminal = "a terminal" if sys.stdout.isatty() else "no terminal"
    named = "".join(f", {name}={os.environ[name]}" for name in _SURROUNDINGS if name in os.environ)
    return f"standard output is {terminal}, {sys.stdout.encoding}{named}"


# --- what went wrong -------------------------------------------------------------------------------------------------


def _traceback(error: BaseException) -> Iterator[str]:
    """Where it was raised, outermost first, and why: no source lines but their numbers, and no values."""
    chain: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in chain:
        chain.append(one)
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    for raised in reversed(chain):
        yield from _frames(raised.__traceback__)
        text = " ".join(str(raised).split())
        yield f"  {type(raised).__name__}: {text}"


def _frames(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield f"  at {_module(Path(code.co_filename))} line {trace.tb_lineno} in {code.co_qualname}"
        trace = trace.tb_next


def _module(file: Path) -> str:
    """A file of ours from our package on, one of another package from the folder it is installed in."""
    if file.is_relative_to(_PACKAGE):
        return file.relative_to(_PACKAGE.parent).as_posix()
    for folder in ("site-packages", f"python{sys.version_info[0]}.{sys.version_info[1]}"):
        if folder in file.parts:
            return "/".join(file.parts[file.parts.index(folder) + 1 :])
    return str(file)
