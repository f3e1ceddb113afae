"""Python objects, without any framework: pydantic models, definitions, lists and mappings, names and records.

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
from object_reading import MODELS, failure, read, tools

from fusion_contracts.model import SourceRecord, Tool
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.objects.target import Target
from fusion_contracts.sources.python_object import read_object, rooted

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
