"""What stands in action.yml and the workflows: nothing that a stranger chose becomes a command."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for part in ("actions", "workflows")
    for path in (ROOT / ".github" / part).rglob("*.y*ml")
)
WORKFLOWS = [name for name in FILES if "/workflows/" in name]
RELEASE = ".github/workflows/release.yml"
ACTION = ".github/actions/check/action.yml"


def load(root: Path, name: str) -> Any:
    return yaml.safe_load((root / name).read_text(encoding="utf-8"))


def steps(value: Any) -> Iterator[dict[str, Any]]:
    """Every step of an Action or a workflow."""
    if "runs" in value:
        yield from value["runs"]["steps"]
    for job in value.get("jobs", {}).values():
        yield from job["steps"]


@pytest.fixture
def action(root: Path) -> dict[str, Any]:
    return dict(load(root, ACTION))


def test_the_files_are_found() -> None:
    assert {ACTION, RELEASE, ".github/workflows/ci.yml"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_nothing_of_an_event_becomes_a_command(root: Path, name: str) -> None:
    for step in steps(load(root, name)):
        assert "${{" not in step.get("run", "") or name != ACTION
        assert not re.search(r"\$\{\{\s*(github\.(event|head_ref)|inputs)", step.get("run", ""))


@pytest.mark.parametrize("name", FILES)
def test_what_is_used_is_pinned_to_a_commit_that_says_its_version(root: Path, name: str) -> None:
    used = re.findall(r"^ *-? *uses: (.+)$", (root / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(used) == len([step for step in steps(load(root, name)) if "uses" in step]) > 0
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_one_action_is_one_commit_everywhere(root: Path) -> None:
    pages = [*FILES, "docs/provenance.md"]
    text = "\n".join((root / name).read_text(encoding="utf-8") for name in pages)
    used = set(re.findall(r"uses: (\S+)@([0-9a-f]{40} # \S+)$", text, re.MULTILINE))
    assert len(dict(used)) == len(used) > 0


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_checkout_keeps_its_token(root: Path, name: str) -> None:
    checkouts = [step for step in steps(load(root, name)) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert [step for step in checkouts if step.get("with", {}).get("persist-credentials") is not False] == []


@pytest.mark.parametrize("name", FILES)
def test_pull_request_target_is_no_trigger(root: Path, name: str) -> None:
    text = "\n".join(line for line in (root / name).read_text(encoding="utf-8").splitlines() if "# Never" not in line)
    assert "pull_request_target" not in text
    value = load(root, name)
    triggers = value.get("on", value.get(True, {}))  # YAML 1.1 reads the key `on` as true
    assert "pull_request_target" not in triggers


def test_every_command_of_the_action_names_its_shell(action: dict[str, Any]) -> None:
    runs = [step for step in action["runs"]["steps"] if "run" in step]
    assert action["runs"]["using"] == "composite"
    assert [step["shell"] for step in runs] == ["bash", "bash"]


def test_every_input_is_handed_over_by_environment_and_read(root: Path, action: dict[str, Any]) -> None:
    handed = {name: text for step in action["runs"]["steps"] for name, text in step.get("env", {}).items()}
    inputs = {match for text in handed.values() for match in re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text)}
    assert inputs == set(action["inputs"])
    script = (root / ".github" / "actions" / "check" / "check.py").read_text(encoding="utf-8")
    for name in handed.keys() - {"FUSION_VERSION", "FUSION_PYTHON"}:
        assert f'"{name}"' in script, name


def test_every_output_is_one_that_the_script_writes(root: Path, action: dict[str, Any]) -> None:
    script = (root / ".github" / "actions" / "check" / "check.py").read_text(encoding="utf-8")
    text = (root / ACTION).read_text(encoding="utf-8")
    for name in set(re.findall(r"steps\.check\.outputs\.([\w-]+)", text)):
        assert f'"{name}"' in script, name
    assert {name: one["value"] for name, one in action["outputs"].items()} == {
        name: f"${{{{ steps.check.outputs.{name} }}}}" for name in action["outputs"]
    }


@pytest.mark.network
def test_the_step_that_installs_makes_a_python_that_has_fusion(
    root: Path, action: dict[str, Any], tmp_path: Path
) -> None:
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "install"]
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "RUNNER_TEMP": str(tmp_path / "a runner's"),
        "GITHUB_ACTION_PATH": str(root / ".github" / "actions" / "check"), "GITHUB_OUTPUT": str(tmp_path / "output"),
        "FUSION_VERSION": "",
    }  # fmt: skip
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env=environment, check=True)
    name, _, python = (tmp_path / "output").read_text(encoding="utf-8").strip().partition("=")
    assert name == "python"
    said = subprocess.run(
        [python, "-P", "-m", "fusion_contracts", "--version"], check=True, capture_output=True, text=True
    )
    assert said.stdout.startswith("fusion-contracts ")


def test_only_jobs_of_a_release_that_run_nothing_of_the_repository_may_write(root: Path) -> None:
    workflow = load(root, RELEASE)
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["cancel-in-progress"] is False
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "build": {"contents": "read"},
        "test": {"contents": "read"},
        "attest": {"id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
        "announce": {"contents": "write"},
    }
    for name in ("attest", "publish", "announce"):
        own = workflow["jobs"][name]["steps"]
        assert [step for step in own if "checkout" in step.get("uses", "")] == []
        lines = [line.split()[0] for step in own for line in step.get("run", "").splitlines()]
        assert lines == (["case", "gh"] if name == "announce" else [])


def test_a_release_goes_one_way(root: Path) -> None:
    """What is published was built once, tested and attested before."""
    jobs = load(root, RELEASE)["jobs"]
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "build": None, "test": "build", "attest": "test", "publish": "attest", "announce": "publish",
    }  # fmt: skip
    assert jobs["publish"]["environment"]["name"] == "pypi"
    assert load(root, RELEASE)[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads the key `on` as true
