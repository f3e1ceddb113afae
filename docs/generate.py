"""Write the pages that show what the code does: `python docs/generate.py`. A test says when one is stale.

`rules.md` comes from the rules, `formats.md` from the report formats: what their files say, and one change in each. The
schema for editors comes from the settings and the commands' flags: see `editors.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from fusion_contracts.diff import Side, diff
from fusion_contracts.diff.rule import Rule, find, rule_ids
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report import FORMATS, render
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.rules import example

__all__ = ["PAGES"]

HERE = Path(__file__).parent

RULES = """\
# The rules

Written by `python docs/generate.py` from the files in `fusion_contracts/diff/rules/`; edit those. `fusion explain RULE`
prints the same in a terminal.

A rule on schemas says what changed; the proof says how much it matters ([levels.md](levels.md)). So some levels have
two parts: *SAFE where proved* that no old call (or reader) can fail; *BREAKING with a witness* where one does. What
cannot be decided is RISKY, as the rule `undecided`. Any level can be changed in `[tool.fusion.levels]`.

| rule | level | on | |
|---|---|---|---|
"""


def rules() -> str:
    """The page of rules, ending in a newline."""
    every = [find(identifier) for identifier in rule_ids()]
    table = "".join(f"| [{one.id}](#{one.id}) | {one.levels} | {one.about} | {one.title} |\n" for one in every)
    return RULES + table + "".join(f"\n{line}\n" for one in every for line in about_rule(one))


def about_rule(rule: Rule) -> Iterator[str]:
    """The paragraphs about one rule."""
    yield f"## {rule.id}"
    yield rule.title
    yield f"Level: {rule.levels}. On: {rule.about}."
    yield from (f"**{heading}.** {text}" for heading, text in rule.sections.items())
    yield "```text\n" + "".join(f"{label:<8} {text}\n" for label, text in example(rule)) + "```"


# --- formats ----------------------------------------------------------------------------------------------------------

FORMAT_PAGE = """\
# Report formats

Written by `python docs/generate.py` from the files in `fusion_contracts/report/formats/`; edit those.

`fusion diff` and `fusion check` take `--format FORMAT` or `--format FORMAT=FILE`, as often as you like: one run writes
them all. One of them may go to standard output (or to the file of `-o`). Files are written together or not at all, and
also where the run ends with an error: that is in each of them then.

```sh
fusion check --format text --format markdown=comment.md --format sarif=fusion.sarif --format junit=fusion.xml
```

Every name and text in a report was chosen by a server. In each format it is shown and never obeyed: no markup, no link,
no mention, no workflow command, no terminal escape.

| to | take | then |
|---|---|---|
| comment on a pull request | `markdown` | post the file; by its first line the next run finds the comment to replace |
| show findings at the lines of the lock, in GitHub | `github` | print it in a step; GitHub shows ten of each kind |
| keep them as code scanning alerts | `sarif` | `github/codeql-action/upload-sarif` |
| show them as tests | `junit` | GitLab: `artifacts: reports: junit`; Jenkins: `junit` |
| review them in a browser | `html` | keep the file as an artifact: [html-report.md](html-report.md) |
| read them in a program | `json` | [json-report.md](json-report.md) |

Formats that name a line take the lock as it is; what the lock no longer holds is shown at the nearest thing around it.
Two catalogs have no lock: then a finding stands at its tool's name alone.

Below, the tool `search` lost a value of its argument `status`.
"""


def formats() -> str:
    """The page of report formats, ending in a newline."""
    return FORMAT_PAGE + "".join(f"\n{part}\n" for form in FORMATS for part in about_format(form))


def about_format(form: str) -> Iterator[str]:
    """The paragraphs about one format: what its file says of it, and its example."""
    yield f"## {form}"
    file = import_module(f"fusion_contracts.report.formats.{form}")
    yield (file.__doc__ or "").strip()
    if language := getattr(file, "LANGUAGE", ""):
        text = shown(form)
        fence = "~~~~" if "```" in text else "```"
        yield f"{fence}{language}\n{text}{fence}"


def shown(form: str) -> str:
    """The example in a format; of SARIF the results, whose log holds the rules' documentation as well."""
    tools = [{"type": "object", "properties": {"status": {"enum": values}}} for values in (["open", "all"], ["open"])]
    old, new = (ServerContract("desk", tools={"search": Tool("search", schema)}) for schema in tools)
    report = diff(old, new, base=Side("fusion.lock at main (3f9c2d1)", "git"), head=Side("fusion.lock", "lock"))
    locks = Lock({"desk": old}), Lock({"desk": new})
    compatible = f"with {report.base.label}: 1 breaking"
    answers = {"intact": ["yes"], "fresh": ["1 server unchanged"], "compatible": [compatible]}
    compared = Compared(*locks, "fusion.lock", encode(locks[1]), "fusion.lock, 1 server", answers)
    text = render(form, report, Context("fusion check", {None: compared}, 1, "exit 1: breaking findings", width=80))
    return json.dumps(json.loads(text)["runs"][0]["results"], indent=2) + "\n" if form == "sarif" else text


def editors() -> str:
    """The schema of the settings, ending in a newline."""
    return str(import_module("editors").text())  # beside this file, which is a script and in no package


PAGES: dict[str, Callable[[], str]] = {
    "rules.md": rules,
    "formats.md": formats,
    "schema/fusion.schema.json": editors,
}
"""Each page that is written here, and its text."""

if __name__ == "__main__":
    for name, text in PAGES.items():
        (HERE / name).write_text(text(), encoding="utf-8", newline="\n")
