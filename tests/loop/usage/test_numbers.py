"""The numbers of the report are those of the script that made the calls, whichever engine counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_runs import Script, Truth, scripted, tell

from fusion_contracts import tool_error
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.usage.counting import count, servers
from fusion_contracts.loop.usage.engines import opened
from fusion_contracts.loop.usage.period import side, since
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.report.usability.model import Action, Healing, Loops, Period

ENGINES = ("sqlite", "lines", "parquet", "duckdb", "postgres")
NOW = 1_793_100_000.0

Write = Callable[[str, Script], str]


def counted(log: str, chosen: Filter | None = None) -> Period:
    with opened(log) as engine:
        return count(engine, chosen or Filter(), "")


def of_truth(server: str, action: str, truth: Truth) -> Action:
    """What the report must say of an action."""
    return Action(
        server,
        action,
        truth.calls,
        truth.errors,
        truth.partial,
        truth.empty,
        truth.refused,
        {code: Healing(errors, truth.healed_codes[code]) for code, errors in truth.codes.items()},
        dict(truth.fields),
        Healing(*truth.told),
        Healing(*truth.untold),
        {ending: Loops(*numbers) for ending, numbers in truth.loops.items()},  # type: ignore[misc]  # its words
    )


def by_name(period: Period) -> dict[tuple[str, str], Action]:
    return {(one.server, one.action): one for one in period.actions}


@pytest.mark.parametrize("kind", ENGINES)
def test_the_numbers_are_those_of_the_script(kind: str, script: Script, written: Write) -> None:
    period = counted(written(kind, script))
    assert by_name(period) == {name: of_truth(*name, truth) for name, truth in script.truth.items()}
    assert period.runs == script.runs
    assert sum(span.calls for span in period.spans) == period.total.calls
    assert sum(span.errors for span in period.spans) == period.total.errors
    assert period.total.calls + period.total.refused == len(script.calls)


def test_every_engine_says_the_same(script: Script, written: Write) -> None:
    said = {repr(counted(written(kind, script))) for kind in ENGINES}
    assert len(said) == 1


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_the_numbers_of_any_script(tmp_path_factory: pytest.TempPathFactory, seed: int, runs: int) -> None:
    script = scripted(runs, seed)
    log = str(tmp_path_factory.mktemp("any") / "log.sqlite")
    with ErrorLog(log) as told:
        tell(told, script.calls)
    assert by_name(counted(log)) == {name: of_truth(*name, truth) for name, truth in script.truth.items()}


# --- what counts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "lines", "postgres"])
def test_a_release_or_server_is_counted_alone(kind: str, written: Write) -> None:
    old, new = scripted(20, 1, "it's 2.0"), scripted(25, 2, "2.1")
    log = written(kind, Script(old.calls + new.calls, {}, 45))
    for script, release in ((old, "it's 2.0"), (new, "2.1")):
        period = counted(log, side(release, Filter(), NOW))
        assert by_name(period) == {name: of_truth(*name, truth) for name, truth in script.truth.items()}
    desk = counted(log, replace(side("2.1", Filter(), NOW), servers=("desk",)))
    wanted = {name: of_truth(*name, truth) for name, truth in new.truth.items() if name[0] == "desk"}
    assert by_name(desk) == wanted
    assert counted(log, Filter(servers=())) == Period("")
    with opened(log) as engine:
        assert servers(engine) == ("desk", "mail")


def test_a_contract_is_named_by_the_beginning_of_its_digest(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    with ErrorLog(log, contract="abcdef0123456789") as told:
        told.record(run="1", action="close")
    assert counted(log, side("abcdef0", Filter(), NOW)).total.calls == 1
    assert counted(log, side("abcdef", Filter(), NOW)).total.calls == 0
    assert counted(log, side("abcdef1", Filter(), NOW)).total.calls == 0


def test_a_period_has_its_first_moment_and_not_its_end(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    moments = iter([1_793_000_000.0, 1_793_000_001.0, 1_793_000_002.0])
    with ErrorLog(log, clock=lambda: next(moments)) as told:
        for _ in range(3):
            told.record(run="1", action="close")
    chosen = side("2026-10-26T07:33:21..2026-10-26T07:33:22", Filter(), NOW)
    assert (chosen.since, chosen.until) == (1_793_000_001_000_000, 1_793_000_002_000_000)
    assert counted(log, chosen).total.calls == 1
    assert counted(log, Filter(since=chosen.since)).total.calls == 2
    assert counted(log, Filter(until=chosen.until)).total.calls == 2


def test_a_call_without_a_run_stands_alone(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    with ErrorLog(log) as told:
        told.record(ValueError("no"), run="", action="close")
        told.record(run="", action="close")
    period = counted(log)
    assert (period.runs, period.total.healing, period.total.of("open").number) == (2, Healing(1, 0), 1)


@pytest.mark.parametrize("kind", ENGINES)
def test_tokens_that_nobody_logged_are_not_known(kind: str, written: Write) -> None:
    error = tool_error("TIMEOUT", "Slow")
    unpriced = [{"run": run, "action": "close", "error": error} for run in ("1", "2", "2")]
    priced = [one | {"action": "send", "tokens": tokens} for one, tokens in zip(unpriced, (90, 90, 250), strict=True)]
    period = counted(written(kind, Script([*unpriced, *priced], {}, 2)))
    loops = [by_name(period)["", action].of("open") for action in ("close", "send")]
    assert loops == [Loops(2, 1, 0, 0), Loops(2, 1, 2, 250)]
    assert [one.tokens_each for one in (*loops, period.total.of("open"))] == [None, 125, 125]


def test_a_refusal_that_follows_no_error_is_no_loop(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    with ErrorLog(log) as told:
        told.record(ValueError("no"), run="1", action="close", stopped=True)
        told.record(run="1", action="close")
    total = counted(log).total
    assert (total.calls, total.errors, total.refused, total.loops) == (1, 0, 1, {})


def test_an_empty_log_has_no_calls(tmp_path: Path, written: Write) -> None:
    log = written("sqlite", scripted(1))
    assert counted(log, Filter(release="none")) == Period("")


@pytest.mark.parametrize(
    ("word", "micros"),
    [
        ("1970-01-02", 86_400_000_000),
        ("1970-01-01T00:00:01.5", 1_500_000),
        ("1970-01-01T02:00:00+02:00", 0),
        ("15m", 1_793_099_100_000_000),
        ("24h", 1_793_013_600_000_000),
        ("1d", 1_793_013_600_000_000),
        ("1w", 1_792_495_200_000_000),
    ],
)
def test_a_time_is_read(word: str, micros: int) -> None:
    assert since(word, NOW) == micros


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("soon..", "soon is no time; write 7d, 24h, 2026-11-01 or 2026-11-01T08:00"),
        ("..", ".. is no period; write A..B, A.. or ..B"),
        ("2026-11-02..2026-11-01", "2026-11-02..2026-11-01 is no period: it ends before it begins; correct it"),
        ("0d..", "0d is no time; write 7d, 24h, 2026-11-01 or 2026-11-01T08:00"),
    ],
)
def test_what_is_no_period_is_refused(word: str, said: str) -> None:
    with pytest.raises(FusionError) as caught:
        side(word, Filter(), NOW)
    assert str(caught.value) == said


# --- logs that others wrote ------------------------------------------------------------------------------------------


def test_lines_that_are_no_entries_are_passed_over_and_said(script: Script, written: Write) -> None:
    log = written("lines", script)
    lines = Path(log).read_text(encoding="ascii").splitlines()
    Path(log).write_text("\n".join([*lines, '{"id":1,"time_us":17', "not JSON at all"]), encoding="ascii")
    with opened(log) as engine:
        period = count(engine, Filter(), "")
        assert engine.notes == ["2 lines are no entries, and were passed over"]
    assert by_name(period) == {name: of_truth(*name, truth) for name, truth in script.truth.items()}


def test_several_files_are_one_log(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        with ErrorLog(str(tmp_path / name)) as told:
            told.record(run=name, action="close")
    assert counted(str(tmp_path / "*.jsonl")).runs == 2


def test_fields_that_are_no_list_are_no_fields(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    entry = {"time_us": 1, "run": "1", "server": "", "action": "a", "outcome": "execution_error", "stopped": 0}
    texts = ["{", "5", '{"a":1}', '["b",1]', None]
    entries = [entry | {"id": number, "fields": text} for number, text in enumerate(texts)]
    log.write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="ascii")
    (action,) = counted(str(log)).actions
    assert (action.errors, action.fields, action.codes) == (5, {"b": 1}, {"UNKNOWN": Healing(5, 0)})
