"""Which servers are of this checkout, and which are somebody else's.

Two questions. Whether a source is part of the repository: then a pull request can change it, and it is started there.
Whether a server is of the project: then the project's version is its version, also where a runner fetches it by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from fusion_contracts.cli.manifests import PYTHON, Manifests, manifests
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.roster import servers
from fusion_contracts.config import Source
from fusion_contracts.model import ServerContract
from fusion_contracts.record import record
from fusion_contracts.sources.runners import MANIFESTS, folders, packages, program_of, started, starts_its_own

__all__ = ["is_ours", "local_part", "local_parts"]

_FOREIGN = frozenset({"node_modules", "site-packages", ".venv", "venv"})  # what is in these was installed
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")  # one of these is in a folder of any other name that is one
# What tools start of their manifest. In an environment of Python that may be any package's program.
_OURS: Mapping[str, str] = MappingProxyType({tool: name for tool, name in MANIFESTS.items() if name != PYTHON})


@record
class _Checkout:
    """A project's folder, the folder up to which files are of it too, its programs, and the tools that start them."""

    root: Path
    top: Path
    programs: AbstractSet[str]
    tools: Mapping[str, str]

    def part(self, command: Sequence[str], code: str | None) -> str | None:
        """The file, module, program or tool by which a command, or else a Python object, is of it; None for none."""
        if code is not None:
            place = re.sub(r":[\w.]+(?:\(\))?$", "", code)
            here = self.holds(place) if place.endswith(".py") else self._has_module(place)
            return place if here else None
        known = (folder for folder in folders(command) if "${" not in folder)
        if not command or not all(self.holds(folder, folder=True) for folder in known):
            return None  # a URL, or what is started lies elsewhere
        return self._file(command) or self._declared(command)

    def holds(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path leads to a file, or to a `folder`, that nobody installed there."""
        if not path or path.startswith("-") or "\0" in path:
            return False
        try:
            target = (self.root / path).resolve()
            return (target.is_file() or (folder and target.is_dir())) and self._is_own(target)
        except (OSError, RuntimeError):  # a name that the system does not take, a circle of links
            return False

    def _is_own(self, target: Path) -> bool:
        top = self.top.resolve()
        if not target.is_relative_to(top):
            return False
        inner = target.relative_to(top)
        environments = ((top / folder / sign).exists() for folder in inner.parents for sign in _ENVIRONMENT)
        return _FOREIGN.isdisjoint(inner.parts) and not any(environments)

    def _file(self, command: Sequence[str]) -> str | None:
        if re.search(r"[/\\]", command[0]) and self.holds(command[0]):
            return command[0]
        places = started(command)  # any other folder is one that the program works on
        return next((word for word in _words(command) if self._names(word, places)), None)

    def _names(self, word: str, places: Sequence[str]) -> bool:
        """Whether an argument names a file, or one of these places, alone or behind `--flag=`."""
        flag, sign, value = word.partition("=")
        named = value if sign and flag.startswith("-") else word
        bare = re.sub(r"(?<=\.py):[\w.]+$|\[[\w,.-]*\]$", "", named)  # `:ATTR`, `[EXTRA]`
        return self.holds(bare, folder=named in places)

    def _declared(self, command: Sequence[str]) -> str | None:
        words = _words(command)
        modules = [after for before, after in pairwise(words) if before == "-m"]
        module = next((one for one in modules if self._has_module(one)), None)
        called = (program_of(command), *started(command), *_not_behind_options(words))
        program = next((word for word in called if word in self.programs), None)
        return module or program or self._by_tool(command)

    def _by_tool(self, command: Sequence[str]) -> str | None:
        tool = program_of(command).lower()
        here = tool in self.tools and (self.root / self.tools[tool]).is_file()
        return f"{tool} {command[1]}" if here and starts_its_own(command) else None

    def _has_module(self, name: str) -> bool:
        first = name.partition(".")[0]
        return bool(first) and any(
            (folder / first).is_dir() or (folder / f"{first}.py").is_file() for folder in (self.root, self.root / "src")
        )


def local_parts(project: Project) -> dict[str, str]:
    """The sources that are part of the repository, by NAME, with the word that says so."""
    parts = {name: local_part(source, project.root) for name, source in servers(project).items()}
    return {name: part for name, part in parts.items() if part}


def local_part(source: Source, root: Path) -> str | None:
    """The file, module, program or tool by which a source is part of the repository of `root`; None for none."""
    checkout = _Checkout(root, _top(root.resolve()), manifests(root).programs, MANIFESTS)
    if source.path is not None:
        return source.path if checkout.holds(source.path, folder=True) else None
    return checkout.part(source.command, source.object)


def is_ours(root: Path, contract: ServerContract, files: Manifests) -> bool:
    """Whether a server is of the project: an object, file, module or program in it, or a package of its name."""
    source = contract.source
    if source is None:
        return False
    named = not files.programs.isdisjoint(packages(source.command) or ())
    return named or _Checkout(root, root, files.programs, _OURS).part(source.command, source.object) is not None


def _words(command: Sequence[str]) -> Sequence[str]:
    """The words that may name what is of the checkout: what a runner fetches is given words of its own."""
    return command[1:] if packages(command) is None else started(command)


def _not_behind_options(words: Sequence[str]) -> Iterator[str]:
    """The words that are no value of an option: `--repository NAME` starts nothing of that name."""
    return (word for before, word in pairwise(("", *words)) if before == "--" or not before.startswith("-"))


def _top(root: Path) -> Path:
    """The repository's folder; where there is no repository, the project's."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
