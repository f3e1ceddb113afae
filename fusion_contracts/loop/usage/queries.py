"""The questions that a usability report asks of a log: one set of queries, in SQL that every engine has.

They are written in the SQL that SQLite, DuckDB and PostgreSQL share (common table expressions and window functions of
SQL:2003); for other engines Ibis has them translated. All integers, so that every engine gives the same numbers.

The words: a *refusal* is a call that a guard answered without running the tool (`stopped`); an *error* is any other
failed call. A *loop* is an error with the calls of the same action in the same run that follow it, up to the first
that succeeds (healed), is refused (stopped) or is the last there is (open).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["READ", "TABLE", "Filter", "Query", "Rows", "actions", "failures", "names", "times", "totals"]

TABLE = "fusion_calls"
"""The table of a log: a row for each call."""

READ = (
    "id", "time_us", "run", "server", "action", "outcome", "code", "fields", "release", "contract", "deltas", "stopped",
    "model_calls", "tokens",
)  # fmt: skip
"""The columns that the questions need."""

Rows: TypeAlias = list[Mapping[str, Any]]
"""An answer, by column."""

_FAILED = "CASE WHEN outcome IN ('execution_error', 'protocol_error') THEN 1 ELSE 0 END"
_TURNS = """WITH turns AS (
  SELECT e.run, e.server, e.action, e.code, e.fields, e.deltas, e.failed, e.stopped, e.model_calls, e.tokens,
    LEAD(e.failed) OVER (PARTITION BY e.run, e.server, e.action ORDER BY e.time_us, e.id) AS next_failed,
    LAG(e.ends) OVER (PARTITION BY e.run, e.server, e.action ORDER BY e.time_us, e.id) AS after_end,
    SUM(e.ends) OVER (PARTITION BY e.run, e.server, e.action ORDER BY e.time_us, e.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended_before
  FROM {entries} AS e
  JOIN (SELECT DISTINCT run, server, action FROM {entries} AS f WHERE failed = 1) AS b
    ON e.run = b.run AND e.server = b.server AND e.action = b.action
)"""


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its SQL, and the columns of the answer: `texts`, whole `numbers`, and texts that may be null."""

    sql: str
    texts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """Which calls count.

    `since` and `until` are microseconds since 1970 in UTC, the first counted and the second not; `servers` are names;
    `release` is what the log says of the server's version, or the beginning of its contract's digest.
    """

    since: int | None = None
    until: int | None = None
    servers: tuple[str, ...] | None = None
    release: str | None = None

    def where(self) -> str:
        """The condition as SQL, with a space before it; "" where every call counts."""
        parts = []
        if self.since is not None:
            parts.append(f"time_us >= {self.since:d}")
        if self.until is not None:
            parts.append(f"time_us < {self.until:d}")
        if self.servers is not None:
            parts.append(f"server IN ({', '.join(map(_text, self.servers))})" if self.servers else "1 = 0")
        if self.release is not None:
            parts.append(_released(self.release))
        return f" WHERE {' AND '.join(parts)}" if parts else ""


def _released(release: str) -> str:
    named = f"release = {_text(release)}"
    if len(release) < _LEAST_DIGITS:
        return named
    return f"({named} OR SUBSTR(contract, 1, {len(release)}) = {_text(release)})"


_LEAST_DIGITS = 7  # of a digest, as in git: what is shorter could be a version


def _text(value: str) -> str:
    """A text as standard SQL writes it. What a log holds has neither NUL nor lone surrogates."""
    quoted = value.replace("'", "''")
    return f"'{quoted}'"


def _entries(chosen: Filter) -> str:
    """The calls that count, as a table to select from: not a common table expression, which some engines would copy."""
    return f"""(
  SELECT id, time_us, run, server, action, outcome, code, fields, deltas, stopped, model_calls, tokens,
    {_FAILED} AS failed,
    CASE WHEN {_FAILED} = 0 OR stopped = 1 THEN 1 ELSE 0 END AS ends
  FROM {TABLE}{chosen.where()}
)"""


def names() -> Query:
    """A row for each server."""
    return Query(f"SELECT DISTINCT server FROM {TABLE}", ("server",))


def totals(chosen: Filter) -> Query:
    """One row: how many entries and runs there are, and the times of the first and the last (0 where there is none)."""
    sql = f"""SELECT COUNT(*) AS entries, COUNT(DISTINCT run) AS runs,
  COALESCE(MIN(time_us), 0) AS first_us, COALESCE(MAX(time_us), 0) AS last_us
FROM {_entries(chosen)} AS e"""
    return Query(sql, numbers=("entries", "runs", "first_us", "last_us"))


def actions(chosen: Filter) -> Query:
    """A row for each action: calls that no guard answered, how they ended, and calls that were refused."""
    sql = f"""SELECT server, action,
  SUM(1 - stopped) AS calls,
  SUM(CASE WHEN stopped = 0 THEN failed ELSE 0 END) AS errors,
  SUM(CASE WHEN outcome = 'partial' THEN 1 ELSE 0 END) AS partial_results,
  SUM(CASE WHEN outcome = 'empty' THEN 1 ELSE 0 END) AS empty_results,
  SUM(stopped) AS refused
FROM {_entries(chosen)} AS e GROUP BY server, action"""
    numbers = ("calls", "errors", "partial_results", "empty_results", "refused")
    return Query(sql, ("server", "action"), numbers)


def failures(chosen: Filter) -> Query:
    """Errors and loops; `kind` tells the rows apart.

    `error`: a row for each action, code, list of failing fields, and whether changes were told: `number` of errors, and
    how many were `healed`: the next call of the action in the run succeeded.

    `healed`, `stopped`, `open`: a row for each action and end of loops: `number` of loops, the `model_calls` after the
    first error (a call of which that is not known counts as one), `tokens` of the same over the loops of which all are
    known, and how many loops these are (`counted`). A loop of the error alone cost nothing more where the error's own
    tokens are known; where they are not, nobody counted.

    One query, because the engine then sorts the calls once.
    """
    sql = f"""{_TURNS.format(entries=_entries(chosen))}, loops AS (
  SELECT server, action,
    CASE WHEN MAX(stopped) = 1 THEN 'stopped' WHEN MIN(failed) = 0 THEN 'healed' ELSE 'open' END AS ending,
    SUM(CASE WHEN after_end = 0 THEN COALESCE(model_calls, 1) ELSE 0 END) AS model_calls,
    SUM(CASE WHEN after_end = 0 THEN COALESCE(tokens, 0) ELSE 0 END) AS tokens,
    CASE WHEN COUNT(*) = 1 THEN MIN(CASE WHEN tokens IS NULL THEN 0 ELSE 1 END)
      ELSE MIN(CASE WHEN after_end = 0 AND tokens IS NULL THEN 0 ELSE 1 END) END AS known
  FROM turns GROUP BY run, server, action, COALESCE(ended_before, 0)
  HAVING SUM(failed) > SUM(stopped)
)
SELECT server, action, 'error' AS kind, code, fields, CASE WHEN deltas > 0 THEN 1 ELSE 0 END AS told,
  COUNT(*) AS number, SUM(CASE WHEN next_failed = 0 THEN 1 ELSE 0 END) AS healed,
  0 AS model_calls, 0 AS counted, 0 AS tokens
FROM turns WHERE failed = 1 AND stopped = 0
GROUP BY server, action, code, fields, CASE WHEN deltas > 0 THEN 1 ELSE 0 END
UNION ALL
SELECT server, action, ending AS kind, NULL AS code, NULL AS fields, 0 AS told,
  COUNT(*) AS number, 0 AS healed,
  SUM(model_calls) AS model_calls, SUM(known) AS counted, SUM(CASE WHEN known = 1 THEN tokens ELSE 0 END) AS tokens
FROM loops GROUP BY server, action, ending"""
    numbers = ("told", "number", "healed", "model_calls", "counted", "tokens")
    return Query(sql, ("server", "action", "kind"), numbers, ("code", "fields"))


def times(chosen: Filter, step: int) -> Query:
    """A row for each span of `step` microseconds in which there were calls: where it begins, calls and errors."""
    sql = f"""SELECT time_us - time_us % {step:d} AS start_us, SUM(1 - stopped) AS calls,
  SUM(CASE WHEN stopped = 0 THEN failed ELSE 0 END) AS errors
FROM {_entries(chosen)} AS e GROUP BY time_us - time_us % {step:d}"""
    return Query(sql, numbers=("start_us", "calls", "errors"))
