"""A shell asks how a line goes on: commands, and the options of the one that the line calls."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BASH = shutil.which("bash")
DASH = shutil.which("dash")
ASK = """
eval "$(fusion --show-completion)"
read -ra COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_fusion_completion fusion
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(BASH is None, reason="there is no bash to ask")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fusion di", ["diff", "diff-driver"]),
        ("fusion diff --fail", ["--fail-on"]),
        ("fusion --debug lock --che", ["--check"]),
        ("fusion check --against release --bas", ["--base"]),
        ("fusion -C packages/a di", ["diff", "diff-driver"]),
        ("fusion -C packages/a check --bas", ["--base"]),
        ("fusion -Ca --debug --config=b.toml --lockfile 'c d.lock' di", ["diff", "diff-driver"]),
        ("fusion nothing --x", [""]),
    ],
)
def test_bash_goes_on(tmp_path: Path, line: str, words: list[str]) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(BASH), "--norc", "-c", ASK, "ask", line], cwd=tmp_path, env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout.rstrip("\n").split("\n"), done.stderr) == (words, "")


@pytest.mark.skipif(BASH is None, reason="there is no bash to install for")
def test_it_is_installed_where_the_shell_looks(tmp_path: Path) -> None:
    # The shell that calls is the one that is taught: not whichever runs these tests.
    command = f"{shlex.quote(sys.executable)} -m fusion_contracts --install-completion; exit $?"
    done = subprocess.run(
        [str(BASH), "--norc", "-c", command], env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    script = tmp_path / ".bash_completions" / "fusion.sh"
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"bash completion installed in {script}")
    assert str(script) in (tmp_path / ".bashrc").read_text(encoding="utf-8")


@pytest.mark.skipif(DASH is None, reason="there is no dash, which has no completion")
def test_a_shell_without_completion_is_no_finding(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m fusion_contracts --show-completion; exit $?"
    done = subprocess.run([str(DASH), "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "Shell dash not supported.\n")


def test_an_empty_variable_of_completion_asks_for_nothing(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_FUSION_COMPLETE", "")
    result = project.run("check")
    assert (result.code, result.err.splitlines()[-1]) == (2, "exit 2: could not check")
