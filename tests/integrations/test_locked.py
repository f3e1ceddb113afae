"""The entry of a lock that a session is held against, and the settings beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import FusionError, Lock
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.integrations.locked import Locked, Offered, read_locked
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import ServerContract, SourceRecord

ID = {"type": "integer"}
BUY = {
    "name": "buy",
    "description": "Buy it.",
    "inputSchema": {"type": "object", "properties": {"id": ID}, "required": ["id"]},
    "annotations": {"readOnlyHint": False, "vendorHint": 1},
    "x-vendor": {"a": 1},
}
SHOP = replace(contract_of_tools([BUY], "shop"), instructions="Ask first.", info={"name": "shop", "version": "1"})
DESK = contract_of_tools([BUY], "desk")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fusion.lock").write_text(encode(Lock({"shop": SHOP})), encoding="utf-8")
    return tmp_path


def offered(*tools: dict[str, Any], **fields: Any) -> Offered:
    given: dict[str, Any] = {"info": {"name": "shop", "version": "2"}, "instructions": "Ask first."}
    return Offered(tools, **given | fields)


def live(locked: Locked, found: Offered) -> ServerContract:
    (contract,) = locked.read(found).contracts
    return contract


def findings(locked: Locked, found: Offered) -> list[tuple[str, str | None]]:
    report = locked.compare(live(locked, found))
    return [(one.rule, one.tool) for one in report.findings if not one.waived]


# -- which entry -------------------------------------------------------------------------------------------------------


def test_the_only_server_of_a_lock(folder: Path) -> None:
    locked = read_locked(folder / "fusion.lock")
    assert (locked.name, locked.where) == ("shop", str(folder / "fusion.lock"))
    assert locked.contract.tools["buy"].description == "Buy it."


def test_the_lock_of_the_settings_in_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "fusion.lock").rename(folder / "tools.lock")
    (folder / "fusion.toml").write_text('lockfile = "tools.lock"\n', encoding="utf-8")
    monkeypatch.chdir(folder)
    assert read_locked().where == "tools.lock"


def test_a_lock_of_many_files(tmp_path: Path) -> None:
    (tmp_path / "fusion.lock.d").mkdir()
    for contract in (DESK, SHOP):
        path = tmp_path / "fusion.lock.d" / f"{contract.name}.lock"
        path.write_text(encode(Lock({contract.name: contract})), encoding="utf-8")
    assert read_locked(tmp_path / "fusion.lock", "desk").name == "desk"


def test_a_contract_that_was_read_already() -> None:
    assert read_locked(SHOP).where == "the contract given"


def sentence(*arguments: Any) -> str:
    with pytest.raises(FusionError) as error:
        read_locked(*arguments)
    return str(error.value)


def test_no_such_lock(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    assert sentence(path) == f"no lock at {path}; run `fusion lock SOURCE` to write one"


def test_no_such_server(folder: Path) -> None:
    path = folder / "fusion.lock"
    assert sentence(path, "desk") == f'{path} holds no server "desk"; name one of: shop'


def test_several_servers_and_none_named(folder: Path) -> None:
    path = folder / "fusion.lock"
    path.write_text(encode(Lock({"desk": DESK, "shop": SHOP})), encoding="utf-8")
    assert sentence(path) == f"{path} holds 2 servers; say which: server=..., of desk, shop"
    assert read_locked(path, "desk").name == "desk"


def test_a_lock_without_servers(folder: Path) -> None:
    path = folder / "fusion.lock"
    path.write_text(encode(Lock()), encoding="utf-8")
    assert sentence(path) == f"{path} holds no server; lock one: fusion lock -- COMMAND"


def test_a_lock_that_was_edited_by_hand(folder: Path) -> None:
    path = folder / "fusion.lock"
    path.write_text(path.read_text(encoding="utf-8").replace("Buy it.", "Buy all."), encoding="utf-8")
    assert sentence(path) == (
        f"shop: {path}: tool buy was edited by hand or merged badly: its prose digest does not match; run `fusion lock`"
    )


def test_another_server_that_was_edited_by_hand_does_not_matter(folder: Path) -> None:
    path = folder / "fusion.lock"
    text = encode(Lock({"desk": DESK, "shop": SHOP}))
    path.write_text(text.replace("Buy it.", "Buy all.", 1), encoding="utf-8")
    assert read_locked(path, "shop").name == "shop"
    with pytest.raises(FusionError, match="edited by hand"):
        read_locked(path, "desk")


def test_settings_that_are_wrong(folder: Path) -> None:
    (folder / "fusion.toml").write_text('world = "flat"\n', encoding="utf-8")
    with pytest.raises(FusionError, match="world must be 'declared' or 'open'"):
        read_locked(folder / "fusion.lock")


def test_flags_of_commands_in_settings_are_no_mistake(folder: Path) -> None:
    (folder / "fusion.toml").write_text("[check]\noffline = true\n", encoding="utf-8")
    assert read_locked(folder / "fusion.lock").name == "shop"


# -- what a session offers ---------------------------------------------------------------------------------------------


def test_what_is_as_it_was_locked_has_no_findings_but_the_version() -> None:
    assert findings(Locked(SHOP, "lock"), offered(BUY)) == [("server-version-changed", None)]


def test_noise_is_no_drift() -> None:
    noisy = {**BUY, "title": "Buy", "_meta": {"fastmcp": {"tags": []}}, "execution": {"taskSupport": "forbidden"}}
    noisy["inputSchema"] = {**BUY["inputSchema"], "title": "buyArguments"}  # type: ignore[dict-item]
    noisy["inputSchema"]["properties"] = {"id": {**ID, "title": "Id"}}  # type: ignore[index]
    assert findings(Locked(SHOP, "lock"), offered(noisy)) == [("server-version-changed", None)]


def test_what_a_session_is_not_asked_for_is_as_locked() -> None:
    locked = replace(SHOP, capabilities={"prompts": {}}, protocol_version="2024-11-05")
    found = live(Locked(locked, "lock"), offered(BUY))
    assert (found.capabilities, found.protocol_version) == ({"prompts": {}}, "2024-11-05")


def test_instructions_count_where_the_client_tells_them() -> None:
    locked = Locked(SHOP, "lock")
    assert ("instructions-changed", None) in findings(locked, offered(BUY, instructions=None))
    assert live(locked, offered(BUY, info=None, instructions=None, greeted=False)).instructions == "Ask first."


def test_fields_that_the_clients_types_drop_are_as_locked() -> None:
    locked = Locked(SHOP, "lock")
    dropped = {key: value for key, value in BUY.items() if key != "x-vendor"} | {"annotations": {"readOnlyHint": False}}
    assert findings(locked, offered(dropped, whole=False)) == [("server-version-changed", None)]
    assert ("unclassified-change", "buy") in findings(locked, offered(dropped))
    lost = {**dropped, "annotations": {"readOnlyHint": True}}
    assert ("hint-towards-safety", "buy") in findings(locked, offered(lost, whole=False))


def test_a_tool_that_is_listed_twice_is_named_as_refused() -> None:
    reading = Locked(SHOP, "lock").read(offered(BUY, BUY))
    assert reading.refused == {"shop": frozenset({"buy"})}


def test_a_secret_that_the_lock_stores_as_a_variable_is_no_drift() -> None:
    record = SourceRecord("stdio", command=("shop",), env={"SHOP_TOKEN": "${SHOP_TOKEN}"})
    described = {**BUY, "description": "Buy it with ${SHOP_TOKEN}."}
    contract = replace(contract_of_tools([described], "shop"), source=record)
    said = {**BUY, "description": "Buy it with s3cret-value-9."}
    locked = Locked(contract, "lock", environ={"SHOP_TOKEN": "s3cret-value-9"})
    assert findings(locked, offered(said, info={}, instructions=None)) == []
    assert "s3cret" not in repr(live(locked, offered(said)))


# -- as the settings judge it ------------------------------------------------------------------------------------------

RENAMED = {**BUY, "inputSchema": {"type": "object", "properties": {"number": ID}, "required": ["number"]}}


def test_the_settings_levels_and_volatile_texts_hold(folder: Path) -> None:
    settings = """
        [servers.shop]
        levels = { description-changed = "breaking" }
        [[volatile]]
        pattern = "[0-9]+"
        reason = "counts"
        pointer = "/description"
    """
    (folder / "fusion.toml").write_text(settings, encoding="utf-8")
    locked = read_locked(folder / "fusion.lock")
    report = locked.compare(live(locked, offered({**BUY, "description": "Buy 12."})))
    (found,) = [one for one in report.findings if one.rule == "description-changed"]
    assert (found.level.name, found.after) == ("BREAKING", "Buy {volatile}.")


def test_waivers_hold_until_their_last_day(folder: Path) -> None:
    waiver = '[[waivers]]\nrule = "{}"\nreason = "agreed"\nuntil = {}\n'
    rules = "required-property-added", "property-removed"
    path = folder / "settings.toml"
    for until, left in (("2999-01-01", []), ("2020-01-01", sorted(rules))):
        path.write_text("".join(waiver.format(rule, until) for rule in rules), encoding="utf-8")
        locked = read_locked(folder / "fusion.lock", config=path)
        found = findings(locked, offered(RENAMED))
        assert sorted(rule for rule, tool in found if tool == "buy") == left
