"""Settings that judge a change and come with it: `fusion check` says so."""

from __future__ import annotations

from typing import Any

import pytest

OWN = """
[[waivers]]
rule = "enum-value-removed"
reason = "a"
until = 9999-12-31

[[volatile]]
pattern = "never there"
reason = "b"
"""


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ('fail-on = "never"\nSOURCES', "fail-on"),
        ('base = "HEAD"\nSOURCES', "base"),
        ('lockfile = "other.lock"\nSOURCES', "lockfile"),
        ('SOURCES[levels]\nenum-value-removed = "safe"\n', "levels"),
        ('SOURCES[servers."*"]\nfail-on = "never"\n[check]\nbase = "HEAD"\n', "check, servers"),
        (f"SOURCES{OWN}", "volatile, waivers"),
    ],
)
def test_a_change_that_brings_what_judges_it_says_so(
    committed: Any, close_page_v2: Any, monkeypatch: pytest.MonkeyPatch, settings: str, named: str
) -> None:
    committed.git("update-ref", "refs/remotes/origin/main", "HEAD")
    committed.serve("pages", close_page_v2)
    committed.run("lock")
    committed.write("fusion.toml", settings.replace("SOURCES", committed.read("fusion.toml")))
    committed.write("other.lock", committed.read("fusion.lock"))
    committed.commit("narrowed, and judged by other settings")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    result = committed.run("check", "--offline", "--format", "text", "--format", "github=g", "--format", "markdown=m")
    assert result.code == 0
    assert f"\nsettings    changed in this change: {named}\n" in result.out
    assert committed.read("g").endswith(f": settings changed in this change: {named}\n")
    assert "\n**Settings** of `" in committed.read("m")


def test_settings_that_do_not_judge_or_were_there_are_no_word(committed: Any) -> None:
    committed.write("fusion.toml", 'fail-on = "any"\n' + committed.read("fusion.toml"))
    committed.commit("stricter")
    committed.write("fusion.toml", committed.read("fusion.toml") + '\n[lock]\nshow = ["safe"]\n')
    assert "settings" not in committed.run("check", "--offline", "--base", "HEAD").out
