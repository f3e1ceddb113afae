"""The file of the settings: where it is looked for, and what is said of one that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.config import Config, ConfigFile, Source, read, text_of, with_source
from fusion_contracts.errors import FusionError


def test_no_settings(tmp_path: Path) -> None:
    assert read(tmp_path) == (Config(), None)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert read(tmp_path) == (Config(), None)


def test_a_parent_folder_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_text('fail-on = "any"\n', encoding="utf-8")
    (tmp_path / "inside").mkdir()
    assert read(tmp_path / "inside") == (Config(), None)


def test_a_named_file(tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    named.write_text('fail-on = "never"\n', encoding="utf-8")
    (tmp_path / "fusion.toml").write_text('fail-on = "any"\n', encoding="utf-8")
    assert read(tmp_path, named)[0] == Config(fail_on="never")
    assert read(tmp_path, tmp_path / "new.toml", create=True) == (
        Config(),
        ConfigFile(tmp_path / "new.toml", nested=False),
    )


def test_a_named_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FusionError, match=r"^no settings file .*gone\.toml; check --config$"):
        read(tmp_path, tmp_path / "gone.toml")


def test_no_text(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_bytes(b"\xff")
    with pytest.raises(FusionError, match=r"fusion\.toml is not UTF-8 text; save it as UTF-8$"):
        read(tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_bytes(b'\xef\xbb\xbffail-on = "any"\r\n')
    assert read(tmp_path)[0] == Config(fail_on="any")
    place = ConfigFile(tmp_path / "fusion.toml", nested=False)
    text = with_source(text_of(place) or "", "x", Source(path="a.json"), place)
    assert text == '\ufefffail-on = "any"\r\n\r\n[sources.x]\r\npath = "a.json"\r\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(FusionError, match=r"pipe\.toml is not a file; name a settings file"):
        read(tmp_path, tmp_path / "pipe.toml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "{path} is not a file; name a settings file"),
        (os.mkfifo, "{path} is not a file; name a settings file"),
        (
            lambda path: path.symlink_to("gone.toml"),
            "{path} is a symbolic link to a file that does not exist; make that file, or remove the link",
        ),
        (
            lambda path: path.symlink_to("fusion.toml"),
            "cannot read {path}: Too many levels of symbolic links; check the path",
        ),
    ],
)
def test_settings_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path, make: Any, said: str) -> None:
    path = tmp_path / "fusion.toml"
    make(path)
    with pytest.raises(FusionError) as caught:
        read(tmp_path)
    assert str(caught.value) == said.format(path=path)
