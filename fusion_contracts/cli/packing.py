"""The file of deltas in a package: where it goes, what it holds, and whether the wheel will have it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

__all__ = ["Packed", "pack_into", "package_folder"]


@record
class Packed:
    """The file, as people name it; how many changes it tells, from which releases, and whether it was rewritten."""

    path: str
    changes: int
    releases: tuple[str, ...]
    written: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """For machines."""
        return {"path": self.path, "changes": self.changes, "releases": list(self.releases), "written": self.written}

    def __str__(self) -> str:
        did = f"wrote {self.path}" if self.written else f"{self.path} is up to date"
        first, last = printable(self.releases[0]), printable(self.releases[-1])
        return f"{did}: {count(self.changes, 'change')} since {first if first == last else f'{first} to {last}'}"


def package_folder(root: Path, given: str, server: str) -> Path:
    """The folder of a package: named as a folder, or by its import name below `root` or `root/src`.

    Nothing is imported, and a package that is only installed is not written to. Raises FusionError where there is none,
    or it carries the changes of another server.
    """
    places = [root / given]
    if all(part.isidentifier() for part in given.split(".")):
        places = [root.joinpath(*above, *given.split(".")) for above in ((), ("src",))]
    shown = printable(given)
    for place in places:
        if (place / "__init__.py").is_file():
            _require_own(place, server)
            return place
    if any(place.is_dir() for place in places):
        message = f"{shown} holds no __init__.py, so it is no package"
        raise FusionError(message, "name the folder that does, such as src/NAME", stage="usage")
    raise FusionError(f"there is no package {shown} here", "name its folder, or check -C", stage="usage")


def _require_own(place: Path, server: str) -> None:
    """Refuse to replace what another server's agents are told. A file that cannot be read is replaced."""
    from fusion_contracts.canonical import loads
    from fusion_contracts.runtime.releases import PACKED

    present: Any = None
    with suppress(OSError, FusionError):
        present = loads((place / PACKED).read_bytes(), PACKED)
    owner = present.get("server") if isinstance(present, dict) else None
    if isinstance(owner, str) and owner != server:
        message = f"{PACKED} in that package is of the server {printable(owner)}, not {printable(server)}"
        raise FusionError(message, "take a package for each server, or remove the file", stage="usage")


def pack_into(package: Path, folder: Path, contract: ServerContract, *, root: Path) -> Packed:
    """Write what changed since the releases in `folder`, as far as the runtime looks back. Raises FusionError."""
    from fusion_contracts.lockfile.file import read_text, write_atomic
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.releases import PACKED, deltas_since, pack, read_releases

    releases = read_releases(folder, contract.name)
    deltas = ContractAwareness(contract, deltas_since(releases, contract)).all_deltas
    path, text = package / PACKED, pack(deltas, contract)
    written = not path.exists() or read_text(path) != text
    if written:
        write_atomic(path, text)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    names = tuple(release.name for release in releases)
    return Packed(printable(shown.as_posix()), len(deltas), names, written, _notes(root, package.name, path.name))


def _notes(root: Path, package: str, file: str) -> tuple[str, ...]:
    """Setuptools takes code alone into a wheel unless told otherwise; other build backends take the whole folder."""
    import tomli

    text = ""
    for name in ("pyproject.toml", "setup.cfg", "setup.py", "MANIFEST.in"):
        with suppress(OSError, ValueError):
            text += (root / name).read_bytes().decode()
    backend = "setuptools"  # the default by PEP 517
    with suppress(OSError, ValueError, AttributeError):
        system = tomli.loads((root / "pyproject.toml").read_bytes().decode()).get("build-system", {})
        backend = system.get("build-backend", backend)
    if not text or "setuptools" not in str(backend) or file in text or "*.json" in text:
        return ()
    line = f'{printable(package)} = ["{file}"]'
    return (f"setuptools leaves it out of the wheel until [tool.setuptools.package-data] says {line}",)
