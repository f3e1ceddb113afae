"""The HTML report: names that want to be more than text on the page."""

from __future__ import annotations

from dataclasses import replace

from html_report import contract, finding, read
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.canonical import HIDDEN, printable
from fusion_contracts.diff import Report, Side
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.html import render

HOSTILE = (
    "</title><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "<!--", "]]>",
    "</style><style>*{display:none}", "</script><script>alert(1)//", "&lt;b&gt;", "javascript:alert(1)",
    "\u202egnp.exe",
    "a\x00b", "\r\n\r\n", "</textarea></details></main>", "{{7*7}}${7*7}", "\ud800",
)  # fmt: skip
texts = st.sampled_from(HOSTILE) | st.text(st.characters(codec=None), max_size=30)


def structure(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements and which attributes they have, but for what hidden characters bring."""
    shown = [one for one in read(page).walk() if one.tag not in {"del", "ins", "mark"}]
    return [(one.tag, tuple(name for name in one.attributes if name != "data-name")) for one in shown]


def everything_named(name: str) -> str:
    witness = {name: name, "more": [name]}
    schema = {"type": "object", "properties": {name: {"type": "string", "description": name}}}
    known = contract(Tool(name, schema))
    lock = Compared(Lock({name: replace(known, name=name)}), Lock({name: replace(known, name=name)}), title=name)
    lock = replace(lock, answers={"intact": (name, name)})
    found = finding(
        server=name, tool=name, action=name, pointer=f"/inputSchema/properties/{name}", message=name, successor=name,
        before={name: name}, after={name: [name]}, has_witness=True, witness=witness, hint=name, silent=True,
    )  # fmt: skip
    report = Report(Side(name, "catalog"), Side(name, "git", name), (found,), (Problem(name, "x", "not read", name),))
    return render(report, Context(compared={None: lock}, ending=name))


PLAIN = structure(everything_named("plain"))


@given(texts.filter(lambda text: text not in {"", "more"}))
def test_no_name_breaks_out(name: str) -> None:
    page = everything_named(name)
    assert structure(page) == PLAIN
    assert HIDDEN.search(page.replace("\n", "")) is None
    assert printable(name) in read(page).all("main")[0].text
