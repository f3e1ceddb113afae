"""Python objects that are of no use, or whose module is: one sentence says what, where and what next."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from object_reading import MODELS, failure
from waiting import in_its_time

from fusion_contracts.sources.base import Options

MISSING = (
    "m.py needs the module {name}, which is not installed here (m.py, line {line}); install it beside fusion "
    "(PYTHON -m pip install {package}), or start it as a server: fusion lock -- python m.py"
)


def require(text: str, options: Options, sentence: str, plain: Callable[[str], str] = str) -> None:
    """Read an object and see what is said: in time enough for a slow machine, but where that is to run out."""
    if "0.5 s" not in sentence:
        assert plain(failure(text, options)) == sentence
        return
    in_its_time(
        lambda seconds: plain(failure(text, replace(options, timeout=seconds))),
        lambda seconds: sentence.replace("0.5 s", f"{seconds:g} s"),
    )


GUARD = 'put what runs the server under if __name__ == "__main__":, or start it as a server: fusion lock -- python'


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            "import no_such_thing_here.at_all",
            MISSING.format(
                name="no_such_thing_here", line="1: import no_such_thing_here.at_all", package="no-such-thing-here"
            ),
        ),
        (
            "\nimport agents_not_here as x, json\n",
            MISSING.format(
                name="agents_not_here", line="2: import agents_not_here as x, json", package="agents-not-here"
            ),
        ),
        (
            "from json import nothing_there",
            (
                "m.py cannot be imported: ImportError: cannot import name 'nothing_there' from 'json' (JSON) "
                "(m.py, line 1: from json import nothing_there); "
                "correct it, or start it as a server: fusion lock -- python m.py"
            ),
        ),
        (
            "import os\nX = os.environ['NOT_SET_ANYWHERE']",
            (
                "m.py cannot be imported: KeyError: 'NOT_SET_ANYWHERE' "
                "(m.py, line 2: X = os.environ['NOT_SET_ANYWHERE']); "
                "correct it, or start it as a server: fusion lock -- python m.py"
            ),
        ),
        (
            "import sys\nsys.exit(0)",
            f"m.py ends the process when it is imported (m.py, line 2: sys.exit(0)); {GUARD} m.py",
        ),
        (
            "import os\nos._exit(0)",
            f"m.py ends the process when it is imported (m.py, line 2: os._exit(0)); {GUARD} m.py",
        ),
        ("def (", "m.py is not Python: m.py, line 1: invalid syntax; correct it"),
        (
            "class Stop(BaseException): pass\nraise Stop('a\\x1b[1m\\nb')",
            (
                "m.py cannot be imported: Stop: a\\u{1b}[1m (m.py, line 2: raise Stop('a\\x1b[1m\\nb')); "
                "correct it, or start it as a server: fusion lock -- python m.py"
            ),
        ),
        (
            "raise ValueError('token=abcdefghijklmnop')",
            (
                "m.py cannot be imported: ValueError: token=(hidden) "
                "(m.py, line 1: raise ValueError('token=(hidden)')); "
                "correct it, or start it as a server: fusion lock -- python m.py"
            ),
        ),
        (
            "import threading\nthreading.Event().wait()",
            f"m.py is still being imported after 0.5 s (m.py, line 2: threading.Event().wait()); {GUARD} m.py",
        ),
        (
            "while True:\n    try:\n        while True: pass\n    except Exception: pass",
            f"m.py is still being imported after 0.5 s (m.py, line 3: while True: pass); {GUARD} m.py",
        ),
        ("x = 1", "m.py holds no server object; name another file, or the attribute that holds one: FILE.py:ATTR"),
        (
            MODELS + "def make_server(): ...",
            "m.py holds no server object; it has: Find (a pydantic model), Drop (a pydantic model), make_server()",
        ),
    ],
)
def test_a_module_that_is_of_no_use(
    options: Options, write: Callable[[str, str], None], code: str, sentence: str
) -> None:
    import json

    write("m.py", code)
    def plain(said: str) -> str:
        return said.replace(sys.executable, "PYTHON").replace(json.__file__, "JSON")

    require("m.py", options, f"m: {sentence}", plain)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("none.py", "none: none.py does not exist; check the path"),
        (
            "no_such_package.mod:mcp",
            (
                "mod: there is no module no_such_package in this folder, in src, or installed beside fusion; "
                "check the name, or run it with -C DIR"
            ),
        ),
        ("m.py:missing", "missing: m.py has no missing; it has: Find (a pydantic model), Drop (a pydantic model)"),
        (
            "m.py:Find.nope",
            "nope: m.py has no Find.nope; it has: Find (a pydantic model), Drop (a pydantic model)",
        ),
        ("m.py:number()", "number: m.py:number() cannot be called; leave out the parentheses: m.py:number"),
        (
            "m.py:fails()",
            (
                "fails: m.py:fails() fails: ZeroDivisionError: division by zero "
                "(m.py, line 15: def fails(): return 1 / 0); "
                "correct it, or start it as a server after --"
            ),
        ),
        (
            "m.py:waits()",
            "waits: m.py:waits() has not returned after 0.5 s; correct it, or start it as a server after --",
        ),
        (
            "m.py:hangs()",
            "hangs: m.py:hangs() has not returned after 0.5 s; correct it, or start it as a server after --",
        ),
        (
            "m.py:leaves()",
            (
                "leaves: m.py:leaves() ends the process: SystemExit: 2 (m.py, line 21: sys.exit(2)); "
                "correct it, or start it as a server after --"
            ),
        ),
        (
            "m.py:round",
            (
                "round: m.py:round holds itself, or is nested too deeply; "
                "name a server, a toolset, or a list or mapping of tools"
            ),
        ),
        (
            "m.py:number",
            (
                "number: m.py:number is of the type int, which offers no tools that are known here; "
                "name a FastMCP or MCP server, a toolset, tools, pydantic models, or a list or mapping of these"
            ),
        ),
        (
            "m.py:Plain",
            (
                "Plain: m.py:Plain is the class Plain, which offers no tools that are known here; "
                "name a FastMCP or MCP server, a toolset, tools, pydantic models, or a list or mapping of these"
            ),
        ),
        (
            "m.py:mixed",
            "mixed: m.py:mixed is a mapping of servers and of single tools: a and b; keep them in two mappings",
        ),
        ("m.py:keys", "keys: m.py:keys is a mapping with a key that is no name; name each tool, or each server"),
        (
            "m.py:forms",
            "forms: m.py:forms mixes forms of tools: a is an Anthropic tool, b is an MCP tool; keep one form in a file",
        ),
    ],
)
def test_an_object_that_is_of_no_use(
    options: Options, write: Callable[[str, str], None], text: str, sentence: str
) -> None:
    write(
        "m.py",
        MODELS
        + """number = 3
class Plain: ...
def fails(): return 1 / 0
async def waits():
    import asyncio
    await asyncio.sleep(60)
def leaves():
    import sys
    sys.exit(2)
def hangs():
    while True: pass
round = []
round.append(round)
mixed = {"a": [Find], "b": Find}
keys = {1: Find}
forms = [{"name": "a", "input_schema": {}}, {"name": "b", "inputSchema": {}}]
""",
    )
    require(text, options, sentence.replace("b is an MCP", "b an MCP"))
