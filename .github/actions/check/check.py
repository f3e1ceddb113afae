"""Run `fusion check` for a GitHub event, and tell its result everywhere GitHub shows one.

Started by action.yml with the Python that has fusion installed; everything comes by environment variables. Ends with
the exit code of `fusion check`, whatever becomes of comments and the like.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import publish
from comment import LONGEST, Api, ApiError, stick
from history import Clone
from plan import Plan, RefusedError, plan

_COULD_NOT = 2  # as fusion: could not check
_FILES = ("json", "markdown", "sarif", "html")  # whose paths are outputs
_FORMATS = (*_FILES, "github")
_CALM = {"NONE", "SAFE"}
_PRIVATE = {
    "FUSION_TOKEN", "GITHUB_TOKEN", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY",
}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """How a run ended, and its reports by format; what fusion could not write is not there."""

    code: int
    files: Mapping[str, Path]
    log: str

    def text(self, form: str) -> str:
        """A report; "" where there is none."""
        file = self.files.get(form)
        return file.read_text(encoding="utf-8", errors="replace") if file else ""

    @property
    def report(self) -> dict[str, Any]:
        """The report for programs."""
        try:
            found = json.loads(self.text("json"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def verdict(self) -> str:
        """The report's word, UNKNOWN where there is no report."""
        return str((self.report.get("summary") or {}).get("verdict") or "UNKNOWN")

    @property
    def calm(self) -> bool:
        """Whether there is nothing to tell: no finding, no annotation."""
        quiet = not self.report.get("errors") and not self.text("github").strip()
        return self.code == 0 and self.verdict in _CALM and quiet

    @property
    def markdown(self) -> str:
        """The report for people; what was printed, where there is none."""
        return self.text("markdown") or publish.fenced(self.log)


def main() -> int:
    """Plan, fetch, check, tell."""
    name, ref = _given("GITHUB_EVENT_NAME"), _given("GITHUB_REF")
    try:
        todo = plan(name, _event(), ref=ref, base=_given("FUSION_BASE"))
    except RefusedError as error:
        print(f"::error title=fusion check::{error}")
        return _COULD_NOT
    folder = Path(_given("FUSION_DIRECTORY") or ".")
    try:
        more = shlex.split(_given("FUSION_ARGS"))
    except ValueError as error:
        print(f"::error title=fusion check::args cannot be read as in a shell: {error}")
        return _COULD_NOT
    with publish.silenced():
        base = Clone(folder, lambda line: print(f"fusion check: {line}", flush=True)).base(todo.bases)
        result = _run([*_options(todo, folder, base), *more])
    print(result.text("github"), flush=True)
    _tell(result, todo)
    return result.code


def _given(name: str) -> str:
    return os.environ.get(name, "").strip()


def _wanted(name: str) -> bool:
    return _given(name).lower() == "true"


def _event() -> dict[str, Any]:
    try:
        found = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
    except (KeyError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


# --- fusion ----------------------------------------------------------------------------------------------------------


def _options(todo: Plan, folder: Path, base: str) -> list[str]:
    """The words behind `fusion check`, before those that the workflow adds."""
    words = ["-C", str(folder), "--base", base]
    words += ["--local"] if todo.local else []
    words += ["--all"] if _wanted("FUSION_ALL") else []
    words += ["--fail-on", _given("FUSION_FAIL_ON")] if _given("FUSION_FAIL_ON") else []
    return words


def _run(options: list[str]) -> Result:
    """Run fusion, its text to the log as it comes. A server must not see the token, nor where GitHub reads outputs."""
    from fusion_contracts.report import FORMATS

    place = Path(tempfile.mkdtemp(prefix="fusion-check-", dir=_given("RUNNER_TEMP") or None))
    files = {form: place / f"report.{form}" for form in _FORMATS if form in FORMATS}
    formats = [word for form, file in files.items() for word in ("--format", f"{form}={file}")]
    environ = {name: value for name, value in os.environ.items() if name not in _PRIVATE}
    # -P: nothing that lies in the checkout is taken for a module of fusion's.
    command = [sys.executable, "-P", "-m", "fusion_contracts", "check", *options, "--format", "text", *formats]
    log = []
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace",
    ) as running:  # fmt: skip
        for line in running.stdout or ():
            print(line, end="", flush=True)
            log.append(line)
    code = running.returncode if running.returncode >= 0 else 128 - running.returncode
    return Result(code, {form: file for form, file in files.items() if file.is_file()}, "".join(log))


# --- GitHub ----------------------------------------------------------------------------------------------------------


def _tell(result: Result, todo: Plan) -> None:
    """Summary, outputs and comment. What fails here is told, and changes nothing."""
    key = _given("FUSION_KEY") or _given("FUSION_DIRECTORY") or "."
    wanted = _wanted("FUSION_SARIF") and "sarif" in result.files
    if wanted and todo.fork:
        publish.notice("no code scanning: the token of a pull request from a fork cannot write")
    values = {
        "verdict": result.verdict,
        "exit-code": str(result.code),
        **{form: str(result.files.get(form, "")) for form in _FILES},
        "upload": str(wanted and not todo.fork).lower(),
        "category": f"fusion-check-{re.sub(r'[^A-Za-z0-9_./-]', '_', key)}",
    }
    try:
        if _given("GITHUB_OUTPUT"):
            publish.output(_given("GITHUB_OUTPUT"), values)
        if _given("GITHUB_STEP_SUMMARY"):
            publish.summary(_given("GITHUB_STEP_SUMMARY"), result.markdown)
    except OSError as error:
        publish.notice(f"no summary or outputs: {error.strerror}")
    if todo.number is not None and _wanted("FUSION_COMMENT"):
        _comment(result, todo, key)


def _comment(result: Result, todo: Plan, key: str) -> None:
    repository, token = _given("GITHUB_REPOSITORY"), _given("FUSION_TOKEN")
    if not token or not re.fullmatch(r"[\w.-]+/[\w.-]+", repository) or todo.number is None:
        publish.notice("no comment: there is no token for one")
        return
    api = Api(_given("GITHUB_API_URL") or "https://api.github.com", repository, token)
    body = "fusion check: no breaking or risky changes." if result.calm else publish.cut(result.markdown, LONGEST)
    try:
        print(f"fusion check: {stick(api, todo.number, key, body, calm=result.calm)}")
    except ApiError as error:
        why = "GitHub's API did not take it"
        if error.refused:
            why = "a fork's token cannot write" if todo.fork else "it needs the permission pull-requests: write"
        publish.notice(f"no comment: {why}; the report is in the step's summary ({error})")


if __name__ == "__main__":
    sys.exit(main())
