"""What the words of a command start: a package from elsewhere, what lies here, or nobody knows what.

The one place for programs that start others: one that fetches packages is an entry of `_RUNNERS`, one that starts what
a project holds an entry of `MANIFESTS` or `_INTERPRETER`. Nothing here looks at the disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from fusion_contracts.record import record

__all__ = [
    "MANIFESTS", "arguments", "folders", "is_path", "packages", "pinned", "program_of", "started", "starts_its_own",
    "unpinned",
]  # fmt: skip


@record
class _Starter:
    """A program that starts what its words name, and its options that take the next word.

    `named` are those whose value is what it fetches. `sign` stands between a package and its exact version; "" where
    one without is no fault: an image may be built here.
    """

    sign: str = ""
    named: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()


_NPM = _Starter("@", ("-p", "--package"), ("-c", "--call", "-w", "--workspace", "--registry", "--prefix", "--cache"))
_UV = _Starter("==", ("--from",), (
    "-p", "--python", "-w", "--with", "--with-editable", "--with-requirements", "-c", "--constraints", "--overrides",
    "--env-file", "-i", "--index", "--index-url", "--default-index", "--extra-index-url", "-f", "--find-links",
    "--directory", "--project", "--cache-dir", "--config-file",
))  # fmt: skip
_PIPX = _Starter("==", ("--spec",), ("--python", "-i", "--index-url", "--pip-args", "--with"))
_IMAGE = _Starter("", (), (
    "-a", "--attach", "-c", "--cpu-shares", "-e", "--env", "--env-file", "-h", "--hostname", "-l", "--label", "-m",
    "--memory", "-p", "--publish", "-u", "--user", "-v", "--volume", "-w", "--workdir", "--add-host", "--cap-add",
    "--cap-drop", "--cpus", "--device", "--dns", "--entrypoint", "--gpus", "--ip", "--ipc", "--log-driver", "--mount",
    "--name", "--net", "--network", "--pid", "--pids-limit", "--platform", "--pull", "--restart", "--runtime",
    "--security-opt", "--shm-size", "--stop-timeout", "--tmpfs", "--ulimit", "--userns", "--volumes-from",
))  # fmt: skip
_RUNNERS: Mapping[str, _Starter] = MappingProxyType({
    "npx": _NPM, "npm exec": _NPM, "npm x": _NPM, "pnpx": _NPM, "pnpm dlx": _NPM, "yarn dlx": _NPM, "bunx": _NPM,
    "bun x": _NPM, "uvx": _UV, "uv tool run": _UV, "pipx run": _PIPX, "docker": _IMAGE, "docker run": _IMAGE,
    "docker exec": _IMAGE, "docker container run": _IMAGE, "podman": _IMAGE, "podman run": _IMAGE,
    "podman exec": _IMAGE, "podman container run": _IMAGE,
})  # fmt: skip

MANIFESTS: Mapping[str, str] = MappingProxyType({
    "uv": "pyproject.toml", "poetry": "pyproject.toml", "pdm": "pyproject.toml", "hatch": "pyproject.toml",
    "rye": "pyproject.toml", "npm": "package.json", "pnpm": "package.json", "yarn": "package.json",
    "bun": "package.json", "cargo": "Cargo.toml", "go": "go.mod", "make": "Makefile", "nix": "flake.nix",
})  # fmt: skip
"""The tools that start what a project holds, with the file that says what that is."""

_INTERPRETER = re.compile(
    r"(?:python[0-9.]*|py|node|nodejs|tsx|ts-node|ruby|php|perl|bash|sh|java|dotnet|deno|bun)(?:@.*)?$"
)
_HERE = _Starter("", (), (  # those two kinds
    "--directory", "--project", "--prefix", "--cwd", "-C", "--with", "--with-requirements", "--python", "--env-file",
    "--index", "--index-url", "--extra-index-url", "--registry", "-r", "--require", "--import", "--loader", "-X", "-W",
    "-c", "-cp", "-classpath", "--class-path",
))  # fmt: skip
_VERBS = ("run", "exec")  # of those tools, before what is started
_FOLDERS = ("--directory", "--project", "--prefix", "--cwd", "-C")  # of those tools: where what they start lies
_FETCHED: Mapping[str, re.Pattern[str]] = MappingProxyType({"go": re.compile(".*@"), "nix": re.compile("[^.#]")})
"""How a word begins by which such a tool fetches what it starts."""

_PATH = re.compile(r"\.{1,2}(?:$|[/\\\[])|[/\\~]|[A-Za-z]:[/\\]")
_EXACT = re.compile(r"(?:@|==)v?\d|@[0-9a-f]{7,40}$")
_LOOSE = re.compile(r"(?<=.)@[^@/]*$|[<>=!~].*$")  # a tag, a branch, a range


def program_of(command: Sequence[str]) -> str:
    """The program that a command starts, without its folder and what Windows writes behind it; "" for no command."""
    program = command[0].replace("\\", "/").rpartition("/")[2] if command else ""
    return re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", program, flags=re.IGNORECASE)


def packages(command: Sequence[str]) -> tuple[str, ...] | None:
    """What a runner such as npx is told to fetch: packages, an image, a folder; None where no runner is started."""
    known = _known(command)
    if known is None or known.starter is _HERE:
        return None
    return tuple(known.values(known.starter.named) or known.rest[:1])


def unpinned(command: Sequence[str]) -> str | None:
    """The package that a runner fetches without an exact version, so that any run may get another one."""
    known = _known(command)
    if known is None or not known.starter.sign:
        return None
    return next((one for one in packages(command) or () if not is_path(one) and not _EXACT.search(one)), None)


def pinned(command: Sequence[str], package: str) -> str:
    """How a package that `unpinned` found is written with a version, a repository with a revision."""
    known = _known(command)
    sign = known.starter.sign if known else ""
    if "://" not in package:
        return f"{_LOOSE.sub('', package)}{sign}VERSION"
    repository, mark, part = package.partition("#")  # `#subdirectory=FOLDER`
    return f"{_LOOSE.sub('', repository)}@REVISION{mark}{part}"


def is_path(word: str) -> bool:
    """Whether a runner reads a word as a folder or file here, and as no package."""
    return _PATH.match(word) is not None


def arguments(command: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a command from what it starts on: a package, a script, or `-m` and a module.

    None where the program is not known to start what its words name.
    """
    known = _known(command)
    if known is None:
        return None
    inner = arguments(known.rest)  # `uv run python`, `npx tsx`: these start something in turn
    return tuple(known.rest) if inner is None else inner


def started(command: Sequence[str]) -> tuple[str, ...]:
    """The words of a command that name what it starts, or where, of what may lie here; none of an unknown program."""
    known = _known(command)
    if known is None:
        return ()
    if known.starter is _HERE:
        words = [*known.values(_HERE.valued), *known.rest[: 2 if known.rest[:1] == ["-m"] else 1]]
    else:
        words = [word for word in packages(command) or () if is_path(word)]
    inner = () if known.starter is _IMAGE else started(known.rest)  # what an image starts lies in it
    return (*words, *inner)


def folders(command: Sequence[str]) -> tuple[str, ...]:
    """The folders in which a tool is told to find what a project holds: `uv --directory FOLDER run`."""
    known = _known(command)
    return tuple(known.values(_FOLDERS)) if known and program_of(command).lower() in MANIFESTS else ()


def starts_its_own(command: Sequence[str]) -> bool:
    """Whether a tool starts what a project holds, by the name that this has there: no file, and nothing fetched."""
    tool = program_of(command).lower()
    if tool not in MANIFESTS or packages(command) is not None or command[1:2] not in (("run",), ("start",)):
        return False
    first = next(iter(arguments(command) or ()), "")
    return not is_path(first) and not (tool in _FETCHED and _FETCHED[tool].match(first))


@record
class _Known:
    """A command of a program that is known: `own` are its options, `rest` what they are followed by."""

    starter: _Starter
    own: list[str]
    rest: list[str]

    def values(self, options: Sequence[str]) -> list[str]:
        """What is given for these options, `--option value` or `--option=value`."""
        joined = [word.split("=", 1)[1] for word in self.own if "=" in word and word.split("=", 1)[0] in options]
        return [after for option, after in pairwise(self.own) if option in options] + joined


def _known(command: Sequence[str]) -> _Known | None:
    program, words = program_of(command).lower(), list(command[1:])
    for verbs in (2, 1, 0):
        starter = _RUNNERS.get(" ".join([program, *words[:verbs]]))
        if starter is not None:
            return _Known(starter, *_split(words[verbs:], starter))
    if program in MANIFESTS or _INTERPRETER.match(program):
        own, rest = _split(words, _HERE)
        if rest[:1] and rest[0] in _VERBS:
            more, rest = _split(rest[1:], _HERE)
            own += more
        return _Known(_HERE, own, rest)
    return None


def _split(words: list[str], starter: _Starter) -> tuple[list[str], list[str]]:
    """The options with their values that words begin with, and the rest; `-m` is no option but what is started."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        takes = words[at] in starter.named or words[at] in starter.valued
        if words[at] == "-m" and not takes:
            break
        at += 2 if takes else 1
    return words[:at], words[at:]
