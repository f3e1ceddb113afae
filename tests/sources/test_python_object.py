"""Python objects, without any framework: pydantic models, definitions, lists and mappings, and all that goes wrong.

The frameworks themselves are tested in `tests/network/test_frameworks.py`, where they are installed.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.model import SourceRecord, Tool
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.objects.target import Target
from fusion_contracts.sources.python_object import PythonSource, read_object, rooted

MODELS = '''
from pydantic import BaseModel, Field

class Find(BaseModel):
    """Find a thing."""
    query: str = Field(alias="q", description="What")
    limit: int = 10

class Drop(BaseModel):
    id: int

TOOLS = [Find, Drop, {"name": "ping", "inputSchema": {"type": "object"}}]
'''
FIND = Tool(
    "Find",
    {
        "type": "object",
        "properties": {"q": {"type": "string", "description": "What"}, "limit": {"type": "integer", "default": 10}},
        "required": ["q"],
    },
    description="Find a thing.",
)
DROP = Tool("Drop", {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})
PING = Tool("ping", {"type": "object"})


@pytest.fixture
def write(options: Options) -> Callable[[str, str], None]:
    def written(name: str, text: str) -> None:
        path = options.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return written


def read(text: str, options: Options) -> Reading:
    return PythonSource.parse(text).read(options)


def tools(text: str, options: Options) -> dict[str, Tool]:
    reading = read(text, options)
    assert (reading.problems, reading.notes) == ((), ())
    (contract,) = reading.contracts
    return dict(contract.tools)


def failure(text: str, options: Options) -> str:
    with pytest.raises(FusionError) as caught:
        read(text, options)
    return str(caught.value)


# --- what is read ----------------------------------------------------------------------------------------------------


def test_models_alone_and_in_a_list(options: Options, write: Callable[[str, str], None]) -> None:
    write("models.py", MODELS)
    assert tools("models.py:Find", options) == {"Find": FIND}
    assert tools("models.py:TOOLS", options) == {"Drop": DROP, "Find": FIND, "ping": PING}


def test_a_mapping_of_tools_names_tools(options: Options, write: Callable[[str, str], None]) -> None:
    write("named.py", MODELS + 'TOOLS = {"look": Find, "a ping": {"name": "x", "inputSchema": {"type": "object"}}}')
    found = tools("named.py:TOOLS", options)
    assert {name: (tool.name, tool.input_schema) for name, tool in found.items()} == {
        "a ping": ("a ping", {"type": "object"}),
        "look": ("look", {**FIND.input_schema, "title": "Find"}),  # no name of the tool any more, and so no noise
    }


def test_a_mapping_of_lists_names_servers(options: Options, write: Callable[[str, str], None]) -> None:
    write("several.py", MODELS + 'ALL = {"one": [Find], "two": (Drop,)}')
    reading = read("several.py:ALL", options)
    assert {contract.name: list(contract.tools) for contract in reading.contracts} == {"one": ["Find"], "two": ["Drop"]}
    (chosen,) = read("several.py:ALL", replace(options, name="two")).contracts
    assert (chosen.name, list(chosen.tools)) == ("two", ["Drop"])
    assert failure("several.py:ALL", replace(options, name="three")) == (
        "three: several.py:ALL holds no server three; it holds: one, two"
    )


def test_what_is_written_as_a_file_would_be_is_read_as_one(options: Options, write: Callable[[str, str], None]) -> None:
    write(
        "raw.py",
        """
TOOL = {"name": "ping", "input_schema": {"type": "object"}}
CATALOG = {"tools": [TOOL], "serverInfo": {"name": "s", "version": "1"}}
CHAT = [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}]
API = {"openapi": "3.1.0", "info": {"title": "A"}, "paths": {"/ping": {"get": {"operationId": "ping"}}}}
""",
    )
    assert tools("raw.py:TOOL", options) == tools("raw.py:CHAT", options) == {"ping": PING}
    (contract,) = read("raw.py:CATALOG", options).contracts
    assert (dict(contract.tools), contract.info) == ({"ping": PING}, {"name": "s", "version": "1"})
    assert list(tools("raw.py:API", options)) == ["ping"]


def test_two_tools_of_one_name_are_refused(options: Options, write: Callable[[str, str], None]) -> None:
    write("twice.py", MODELS + "TOOLS = [Find, Drop, Find]")
    reading = read("twice.py:TOOLS", options)
    assert [problem.message for problem in reading.problems] == ["tool Find is refused: it is listed twice"]
    assert dict(reading.contracts[0].tools) == {"Drop": DROP}


def test_a_file_in_a_package_is_its_module(options: Options, write: Callable[[str, str], None]) -> None:
    for top in ("pkg_above", "src/pkg_below"):
        write(f"{top}/__init__.py", "")
        write(f"{top}/models.py", MODELS)
        write(f"{top}/sub/__init__.py", "")
        write(f"{top}/sub/server.py", "from ..models import TOOLS")
        assert list(tools(f"{top}/sub/server.py:TOOLS", options)) == ["Drop", "Find", "ping"]
        name = top.removeprefix("src/")
        assert list(tools(f"{name}.sub.server:TOOLS", options)) == ["Drop", "Find", "ping"]
        assert sys.modules[f"{name}.sub.server"].__file__ == str(options.root / top / "sub" / "server.py")


def test_the_files_beside_it_are_found_and_nothing_is_left_behind(
    options: Options, write: Callable[[str, str], None]
) -> None:
    before = (list(sys.path), os.getcwd(), os.environ.get("TZ"), sys.stdin, sys.stdout, sys.stderr)  # noqa: PTH109
    write("deep/helper_of_hana.py", MODELS)
    write("data.txt", "read")
    write(
        "deep/tool.py",
        """
import os, time
from helper_of_hana import TOOLS
assert open("data.txt").read() == "read"  # the project's folder is the current one
assert time.tzname == ("UTC", "UTC")
""",
    )
    assert len(tools("deep/tool.py:TOOLS", options)) == 3
    assert before == (list(sys.path), os.getcwd(), os.environ.get("TZ"), sys.stdin, sys.stdout, sys.stderr)  # noqa: PTH109


def test_a_module_that_has_the_name_of_another(options: Options, write: Callable[[str, str], None]) -> None:
    write("json.py", MODELS)
    write("pytest.py", MODELS)
    assert len(tools("json.py:TOOLS", options)) == len(tools("pytest.py:TOOLS", options)) == 3
    import json

    assert json.loads("1") == 1


def test_main_is_not_run_and_nothing_reaches_our_output(
    options: Options, write: Callable[[str, str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    write(
        "loud.py",
        MODELS
        + """
import os, sys, warnings
print("out"); print("err", file=sys.stderr); os.system("echo shell; echo shell >&2"); warnings.warn("old")
assert sys.stdin.read() == ""
if __name__ == "__main__":
    sys.exit(3)
""",
    )
    assert len(tools("loud.py:TOOLS", options)) == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("form", ["make()", "amake()", "Maker.make()"])
def test_a_factory_is_called_where_parentheses_say_so(
    options: Options, write: Callable[[str, str], None], form: str
) -> None:
    write(
        "factory.py",
        MODELS
        + """
def make():
    return TOOLS
async def amake():
    return TOOLS
class Maker:
    make = staticmethod(make)
""",
    )
    assert len(tools(f"factory.py:{form}", options)) == 3


def test_a_function_is_never_called_by_its_name(options: Options, write: Callable[[str, str], None]) -> None:
    write("careful.py", "def delete_everything():\n    open('deleted', 'w')\n")
    assert failure("careful.py:delete_everything", options) == (
        "delete-everything: careful.py:delete_everything is a function, and is not called; "
        "a factory is called where parentheses say so: 'careful.py:delete_everything()'"
    )
    assert not (options.root / "deleted").exists()


def test_an_ordinary_word_is_not_taken_for_a_secret(
    options: Options, write: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "production")
    write("plainly.py", 'TOOLS = [{"name": "a", "description": "In production.", "inputSchema": {"type": "object"}}]')
    assert tools("plainly.py:TOOLS", options)["a"].description == "In production."


def test_a_secret_of_the_environment_is_not_stored(options: Options, write: Callable[[str, str], None]) -> None:
    write(
        "secretive.py",
        """
import os
TOOLS = [{"name": "a", "description": f"Uses {os.environ['SHOP_TOKEN']}.", "inputSchema": {"type": "object"}}]
raise_it = os.environ.get("RAISE") and 1 / 0
""",
    )
    secret = "tok-1234567890abcdef"
    os.environ["SHOP_TOKEN"] = secret
    try:
        reading = read("secretive.py:TOOLS", options)
    finally:
        del os.environ["SHOP_TOKEN"]
    assert reading.contracts[0].tools["a"].description == "Uses ${SHOP_TOKEN}."
    assert reading.notes == ("secretive: the value of SHOP_TOKEN stood in its listing; stored as ${SHOP_TOKEN}",)


# --- names and records -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("weather.py", "weather"),
        ("weather.py:mcp", "weather"),
        ("weather_server.py:app", "weather_server"),
        ("acme/weather/server.py:mcp", "weather"),
        ("servers.py:weather_mcp", "weather"),
        ("servers.py:create_weather_server()", "weather"),
        ("servers.py:group.rain", "rain"),
        ("acme.weather.server:mcp", "weather"),
        ("acme.weather:TOOLS", "weather"),
        ("server.py", "server"),
    ],
)
def test_the_name_is_the_attributes_else_the_files(text: str, name: str) -> None:
    target = Target.of(text)
    assert target is not None
    assert target.name == name


def test_the_record_is_relative_to_the_root(options: Options, write: Callable[[str, str], None]) -> None:
    write("models.py", MODELS)
    (options.root / "sub").mkdir()
    inside = replace(options, root=options.root / "sub")
    for text in ("../models.py:Find", f"{options.root}/models.py:Find"):
        (contract,) = read(text, inside).contracts
        assert contract.source == SourceRecord(kind="python", object="../models.py:Find")
    assert rooted("./a.py", Path("x")) == "a.py"
    assert rooted("a.b:c()", Path("x")) == "a.b:c()"


# --- what goes wrong -------------------------------------------------------------------------------------------------
MISSING = (
    "m.py needs the module {name}, which is not installed here (m.py, line {line}); install it beside fusion "
    "(PYTHON -m pip install {package}), or start it as a server: fusion lock -- python m.py"
)


def patient(options: Options, sentence: str) -> Options:
    """Time enough for a slow machine, but where it is to run out."""
    return replace(options, timeout=0.5) if "0.5 s" in sentence else options


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
    said = failure("m.py", patient(options, sentence))
    assert said.replace(sys.executable, "PYTHON").replace(json.__file__, "JSON") == f"m: {sentence}"


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
    assert failure(text, patient(options, sentence)) == sentence.replace("b is an MCP", "b an MCP")


def test_the_alarm_of_the_caller_is_kept(options: Options, write: Callable[[str, str], None]) -> None:
    import signal

    if not hasattr(signal, "setitimer"):
        pytest.skip("there are no alarms")
    before = signal.getsignal(signal.SIGALRM)
    write("models.py", MODELS)
    tools("models.py:Find", options)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_it_works_in_a_thread_that_is_not_the_main_one(options: Options, write: Callable[[str, str], None]) -> None:
    write("models.py", MODELS)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(tools("models.py:Find", options)))
    thread.start()
    thread.join()
    assert found == [{"Find": FIND}]


def test_an_object_in_hand(options: Options) -> None:
    from pydantic import BaseModel

    class Ping(BaseModel):
        host: str

    (contract,) = read_object([Ping], "it", options, name="net").contracts
    assert (contract.name, list(contract.tools), contract.source) == ("net", ["Ping"], None)
