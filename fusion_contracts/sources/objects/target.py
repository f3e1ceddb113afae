"""`FILE.py[:ATTR]` and `package.module:ATTR`: which object of which module."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from fusion_contracts.record import record
from fusion_contracts.sources.naming import name_from_path, name_from_word

__all__ = ["Target"]

_ATTR = r"(?P<attr>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<call>\(\))?"
_FILE = re.compile(rf"(?P<file>.+\.py)(?::{_ATTR})?")
_MODULE = re.compile(rf"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):{_ATTR}")


@record
class Target:
    """An object in a file (`file`, as it was written) or in a module. Without `attr` it is the only server there.

    `call`: the attribute is a factory, to be called without arguments. Only parentheses say so: in several frameworks
    a decorated tool stays a plain function, and naming one must never run it.
    """

    file: str = ""
    module: str = ""
    attr: str = ""
    call: bool = False

    @classmethod
    def of_file(cls, text: str) -> Target | None:
        """From `FILE.py[:ATTR]`; None for any other text."""
        found = _FILE.fullmatch(text)
        return cls(file=found["file"], attr=found["attr"] or "", call=bool(found["call"])) if found else None

    @classmethod
    def of_module(cls, text: str) -> Target | None:
        """From `package.module:ATTR`; None for any other text."""
        found = _MODULE.fullmatch(text)
        return cls(module=found["module"], attr=found["attr"], call=bool(found["call"])) if found else None

    @classmethod
    def of(cls, text: str) -> Target | None:
        """From either form."""
        return cls.of_file(text) or cls.of_module(text)

    @property
    def place(self) -> str:
        """The file or the module."""
        return self.file or self.module

    @property
    def command(self) -> str:
        """What starts the same as a server, after `python`."""
        return self.file or f"-m {self.module}"

    @property
    def name(self) -> str:
        """A NAME for the lock: the attribute's where it says anything, else the file's or the module's."""
        own = name_from_word(self.attr.rpartition(".")[2])
        return own or name_from_path(self.file or f"{self.module.replace('.', '/')}.py")

    def __str__(self) -> str:
        return f"{self.place}:{self.attr}{'()' * self.call}" if self.attr else self.place

    def relative(self, root: Path) -> Target:
        """The same with its file as a lock stores it: from the root, with forward slashes."""
        import os

        if not self.file:
            return self
        try:
            path = Path(os.path.relpath(root / self.file, root)).as_posix()
        except ValueError:  # two drives on Windows
            path = PurePosixPath(self.file.replace("\\", "/")).name
        return Target(path, self.module, self.attr, self.call)
