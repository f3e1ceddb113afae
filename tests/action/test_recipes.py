"""The recipes of docs/ci.md do what they say: YAML is read as its host reads it, and the commands are run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from page_blocks import blocks

from fusion_contracts import __version__
from fusion_contracts.report import FORMATS

INSTALL = f'pip install "fusion-contracts=={__version__}"'


class Page:
    """One section of docs/ci.md."""

    def __init__(self, root: Path, title: str) -> None:
        text = (root / "docs" / "ci.md").read_text(encoding="utf-8")
        self.text = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]

    def blocks(self, language: str) -> list[str]:
        return blocks(self.text, language)

    @property
    def yaml(self) -> Any:
        (block,) = self.blocks("yaml")
        return yaml.safe_load(block)


def shell(line: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    identity = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["sh", "-ec", line], cwd=folder, env={**kept, "PATH": path, **identity, **nobody, **more}, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip


def test_the_action_is_used_as_it_can_be(root: Path) -> None:
    written, page = (yaml.safe_load(block) for block in Page(root, "GitHub").blocks("yaml"))
    recipe = written
    assert page[0]["uses"] == "actions/upload-artifact@v4"
    action = yaml.safe_load((root / ".github" / "actions" / "check" / "action.yml").read_text(encoding="utf-8"))
    first, last = recipe["jobs"]["check"]["steps"]
    assert first == {"uses": "actions/checkout@v4"}
    assert last["uses"] == f"OWNER/fusion-contracts/.github/actions/check@v{__version__}"
    assert last["with"].keys() <= action["inputs"].keys()
    assert recipe[True].keys() == {"pull_request", "merge_group", "push", "schedule"}  # YAML 1.1 reads `on` as true


def test_every_input_is_on_the_page_and_no_other(root: Path) -> None:
    action = yaml.safe_load((root / ".github" / "actions" / "check" / "action.yml").read_text(encoding="utf-8"))
    table = Page(root, "GitHub").text.partition("| input |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == sorted(action["inputs"])
    outputs = Page(root, "GitHub").text.partition("Outputs: ")[2].partition(". ")[0]
    assert re.findall("`([^`]+)`", outputs) == list(action["outputs"])


@pytest.mark.skipif("junit" not in FORMATS, reason="the recipe writes a JUnit report, a format that is not there yet")
@pytest.mark.parametrize("job", ["fusion", "fusion-live"])
def test_the_gitlab_jobs_run(root: Path, live: Any, release: Any, job: str) -> None:
    jobs = Page(root, "GitLab").yaml
    assert jobs["fusion"]["before_script"] == [INSTALL]
    assert jobs["fusion"]["variables"] == {"GIT_DEPTH": "0"}
    base = live.work.git("rev-parse", "main")
    live.work.git("switch", "-q", "-c", "change")
    release(live, "now")
    live.push("change")
    clone = live.checkout("refs/heads/change", depth=None)
    variables = {"CI": "true", "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    variables |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base} if job == "fusion" else {}
    (line,) = jobs[job]["script"]
    done = shell(line, clone.folder, **variables)
    assert done.returncode == (1 if job == "fusion" else 0), done.stdout + done.stderr
    assert "pages: starting" in done.stderr
    report = (clone.folder / jobs["fusion"]["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8")
    assert ("<failure" in report) == (job == "fusion")


def test_the_plain_recipe_runs_in_a_clone_of_one_branch(root: Path, live: Any, release: Any) -> None:
    recipe, scheduled = Page(root, "Any CI").blocks("sh")
    live.work.git("switch", "-q", "-c", "change")
    release(live, "now")
    live.push("change")
    clone = live.checkout("refs/heads/change", depth=100)
    done = shell(recipe, clone.folder, TARGET="main")
    assert done.returncode == 1, done.stderr
    assert "exit 1: breaking findings" in done.stdout
    assert shell(scheduled, clone.folder).returncode == 0


def test_the_recipes_for_git_run(root: Path, live: Any, release: Any) -> None:
    page = Page(root, "In git")
    attributes, told = page.blocks("")
    install, way_out, as_text = page.blocks("sh")
    live.work.commit({".gitattributes": attributes})
    assert shell(install, live.work.folder).returncode == 0
    for branch, value in (("change", "never"), ("main", "always")):
        live.work.git("switch", "-q", *(["-c"] if branch == "change" else []), branch)
        release(live, "now", value)
    merge = shell("git merge change", live.work.folder)
    assert merge.returncode == 1
    assert merge.stderr.splitlines()[0] == told.strip().replace("close_ticket", "close_page").replace(
        "helpdesk", "pages"
    )
    assert shell(f"git checkout --theirs -- pages.json && {way_out}", live.work.folder).returncode == 0
    assert shell("fusion lock --check && git commit -qam merged", live.work.folder).returncode == 0
    release(live, "never")
    (live.work.folder / "fusion.lock").write_text(live.OLD, encoding="utf-8")
    assert shell("git --no-pager diff", live.work.folder).stdout.startswith("fusion diff fusion.lock (")
    assert "\n-" in shell(as_text.replace("git diff", "git --no-pager diff"), live.work.folder).stdout


def test_a_monorepo(root: Path, world: Any) -> None:
    (line,) = Page(root, "Monorepos").blocks("sh")
    files = {
        f"{name}/{file}": text for name in "ab" for file, text in (("fusion.lock", world.OLD), ("fusion.toml", ""))
    }
    world.work.commit(files)
    world.work.git("config", "user.name", "a")
    done = shell(f"{line.strip()} --offline --base HEAD", world.work.folder)
    assert done.returncode == 0, done.stderr
    assert [name for name in ("a/fusion.lock", "b/fusion.lock") if name not in done.stdout] == []


# --- pre-commit ------------------------------------------------------------------------------------------------------


def test_the_hooks_are_those_of_the_page(root: Path) -> None:
    hooks = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repo,) = Page(root, "pre-commit").yaml["repos"]
    assert repo["rev"] == f"v{__version__}"
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in hooks]
    assert [(hook["language"], hook["pass_filenames"]) for hook in hooks] == [("python", False)] * 2
    assert [hook["stages"] for hook in hooks] == [["pre-commit"], ["pre-push"]]


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("fusion.lock", True), ("a/b/fusion.lock", True), ("fusion.toml", True), ("x/pyproject.toml", True),
        ("my-fusion.lock", False), ("fusion.lock.bak", False), ("server.py", False),
    ],
)  # fmt: skip
def test_the_files_that_a_commit_is_checked_for(root: Path, path: str, taken: bool) -> None:
    hook = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    assert bool(re.search(hook["files"], path)) == taken


def test_the_hooks_commands_do_not_stand_in_the_way_of_a_fresh_repository(root: Path, live: Any, release: Any) -> None:
    offline, online = (
        hook["entry"] for hook in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    )
    folder = live.folder / "fresh"
    for name in ("fusion.lock", "fusion.toml", "serve.py", "pages.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((live.work.folder / name).read_bytes())
    assert shell("git init -q && git add .", folder).returncode == 0
    first = shell(offline, folder, PRE_COMMIT="1")
    assert (first.returncode, first.stderr) == (0, "")
    assert "first lock: nothing to compare" in first.stdout
    assert shell("git commit -qm first", folder).returncode == 0
    (folder / "fusion.lock").write_text(live.BROKEN, encoding="utf-8")
    assert shell(offline, folder, PRE_COMMIT="1").returncode == 1
    assert shell("git checkout -q fusion.lock", folder).returncode == 0
    pushed = shell(online, folder, PRE_COMMIT="1", PRE_COMMIT_REMOTE_NAME="origin")
    assert pushed.returncode == 0, pushed.stdout + pushed.stderr
    assert "fresh       1 server unchanged" in pushed.stdout


@pytest.mark.network
def test_pre_commit_itself_runs_the_hooks(root: Path, live: Any, tmp_path: Path) -> None:
    """A copy of this checkout as the hooks' repository, pre-commit from its registry, a commit that breaks, a push."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout
    hooks = tmp_path / "hooks"
    for name in filter(None, names.split("\0")):
        if not name.startswith(("tests/", "fixtures/")) and (root / name).is_file():
            (hooks / name).parent.mkdir(parents=True, exist_ok=True)
            (hooks / name).write_bytes((root / name).read_bytes())
    assert shell(f"git init -q && git add . && git commit -qm hooks && git tag v{__version__}", hooks).returncode == 0
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "tools")], check=True)
    subprocess.run([str(tmp_path / "tools" / "bin" / "pip"), "install", "-q", "pre-commit"], check=True)
    (block,), (install,) = Page(root, "pre-commit").blocks("yaml"), Page(root, "pre-commit").blocks("sh")
    config = block.replace("https://github.com/OWNER/fusion-contracts", str(hooks))
    live.work.commit({".pre-commit-config.yaml": config})
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    more = {**pip, "PATH": f"{tmp_path / 'tools' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    more["PRE_COMMIT_HOME"] = str(tmp_path / "home")
    assert shell(install, live.work.folder, **more).returncode == 0
    (live.work.folder / "fusion.lock").write_text(live.lock("now"), encoding="utf-8")
    broken = shell("git commit -qam broken", live.work.folder, **more)
    assert broken.returncode == 1
    assert "exit 1: breaking findings" in broken.stderr
    assert shell("SKIP=fusion-check-offline git commit -qam broken", live.work.folder, **more).returncode == 0
    pushed = shell("git push -q origin main", live.work.folder, **more)
    assert pushed.returncode == 1
    assert "fusion check....." in pushed.stdout + pushed.stderr
