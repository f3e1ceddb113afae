"""The sinks of the error log: every one holds the same, and what is no target is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from keeping import NOW, rows_of

from fusion_contracts import tool_error
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.log.entry import COLUMNS

ERROR = tool_error("VALIDATION_ERROR", "no", details={"id": "Missing."})


def test_every_sink_holds_the_same(tmp_path: Path, postgres: str) -> None:
    import psycopg

    lines = tmp_path / "new" / "log.jsonl"
    with ErrorLog(tmp_path / "new" / "log.sqlite", lines, postgres, server="desk", clock=lambda: NOW) as log:
        log.record(ERROR, run="r", action="close", arguments={"id": "\u00e9"}, tokens=5)
        log.record(run="r", action="close")
    expected = rows_of(tmp_path / "new" / "log.sqlite")
    records = [json.loads(line) for line in lines.read_text(encoding="ascii").splitlines()]
    assert [tuple(record.get(name) for name in COLUMNS) for record in records] == expected
    with psycopg.connect(postgres) as connection:
        found = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM fusion_calls ORDER BY time_us").fetchall()
    assert found == expected
    assert [row[list(COLUMNS).index("code")] for row in expected] == ["VALIDATION_ERROR", None]


def test_a_lost_connection_is_made_again(postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    import psycopg

    with ErrorLog(postgres) as log:
        log.record(run="1", action="close")
        log.flush()
        with psycopg.connect(postgres, autocommit=True) as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
            log.record(run="2", action="close")
            log.flush()
            assert connection.execute("SELECT run FROM fusion_calls ORDER BY time_us").fetchall() == [("1",), ("2",)]
    assert caplog.messages == []


def test_errors_are_events_on_the_current_span() -> None:
    logs = pytest.importorskip("opentelemetry.sdk._logs", reason="opentelemetry-sdk is not installed")
    from opentelemetry._logs import get_logger_provider, set_logger_provider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider

    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK's own omission
    provider = logs.LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    set_logger_provider(provider)
    assert get_logger_provider() is provider
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("t")
    log = ErrorLog("otel", server="desk", clock=lambda: NOW)
    with tracer.start_as_current_span("call") as span, log:
        log.record(ERROR, run="r", action="close", arguments={"id": 1})
        log.record(run="r", action="close")
        log.record(tool_error("DEPRECATED", "old", severity="warning"), run="r", action="close")
    failed, warned = [one.log_record for one in exporter.get_finished_logs()]
    assert (failed.event_name, failed.body) == ("fusion.tool.error", "close: VALIDATION_ERROR")
    assert failed.severity_text == "ERROR"
    assert failed.timestamp == int(NOW * 1e9)
    assert failed.trace_id == span.get_span_context().trace_id
    attributes = dict(failed.attributes or {})
    assert str(attributes.pop("fusion.arguments")).startswith('{"id":"integer:')
    assert attributes == {
        "fusion.run.id": "r", "fusion.server": "desk", "gen_ai.tool.name": "close", "fusion.action": "close",
        "fusion.outcome": "execution_error", "fusion.severity": "error", "fusion.contract.deltas": 0,
        "fusion.attempt": 1,
        "fusion.error.code": "VALIDATION_ERROR", "fusion.stopped": False, "fusion.fields": ("id",),
        "error.type": "VALIDATION_ERROR",
    }  # fmt: skip
    assert (warned.severity_text, "error.type" in (warned.attributes or {})) == ("WARNING", False)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("mysql://host/db", "no log can be written to mysql://; name a file, postgresql:// or otel"),
        (
            "postgresql://host/db",
            "a log in PostgreSQL needs psycopg, which is not installed; pip install 'fusion-contracts[postgres]'",
        ),
        (
            "otel",
            "OpenTelemetry events need opentelemetry, which is not installed; pip install 'fusion-contracts[otel]'",
        ),
    ],
)
def test_what_is_no_target_is_refused(target: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.loop.log.place.find_spec", lambda _: None)
    with pytest.raises(FusionError) as caught:
        ErrorLog(target)
    assert str(caught.value) == said


def test_the_default_log_is_kept_out_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The releases beside it are committed, and a `.gitignore` of one's own stays."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    (tmp_path / ".fusion" / "releases").mkdir(parents=True)
    (tmp_path / ".fusion" / "releases" / "1.0.0.lock").touch()
    with ErrorLog() as log:
        log.record(run="r", action="close")
        log.flush()
        listed = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
        )
    assert listed.stdout.splitlines() == [".fusion/.gitignore", ".fusion/releases/1.0.0.lock"]
    assert (tmp_path / ".fusion" / "log.sqlite").exists()
    ignored = tmp_path / ".fusion" / ".gitignore"
    ignored.write_text("mine\n", encoding="utf-8")
    with ErrorLog() as log:
        log.record(run="r", action="close")
    assert ignored.read_text(encoding="utf-8") == "mine\n"
