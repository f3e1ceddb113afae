"""Which release of this package is installed here."""

from __future__ import annotations

__all__ = ["release"]


def release() -> str:
    """The version in the metadata of the installed package, as another machine is asked for it too; "" for none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fusion-contracts")
    except PackageNotFoundError:
        return ""
