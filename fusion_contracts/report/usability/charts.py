"""Charts as SVG in the markup: shapes alone, coloured by the page's style, each with a text that says the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fusion_contracts.report.page.markup import Markup, tag
from fusion_contracts.report.usability.model import Healing, Period
from fusion_contracts.report.usability.words import moment, percent, share

__all__ = ["bar", "healing", "timeline"]

_WIDTH, _HEIGHT = 720, 150
_LEFT, _TOP, _BOTTOM = 52, 8, 22  # room for the labels of the axes
_BAR = 100  # the width of a bar that stands for all


def bar(rate: float) -> Markup:
    """A small bar beside a share; the number beside it says the same, so it is hidden from readers of text."""
    whole = _rect(0, 0, _BAR, 6, "rest")
    part = _rect(0, 0, max(rate, 0) * _BAR, 6, "share")
    shape = {"viewBox": f"0 0 {_BAR} 6", "preserveAspectRatio": "none", "focusable": "false"}
    return tag("svg", whole, part, class_="bar", aria_hidden="true", **shape)


def healing(sides: Mapping[str, Healing]) -> Markup:
    """A row for each kind of error: the share that healed, as a bar and in words."""
    rows = (
        tag(
            "li",
            tag("span", f"{name} ", class_="what"),
            tag("b", percent(one.rate)),
            bar(one.rate or 0),
            tag("small", share(one.healed, one.errors, "error")),
        )
        for name, one in sides.items()
    )
    return tag("ul", *rows, class_="healing")


def timeline(period: Period) -> Markup:
    """Calls in each span of time, those that failed at the foot of each bar."""
    if not period.spans:
        return Markup("")
    most = max(span.calls for span in period.spans) or 1
    first, last = period.spans[0].start_us, period.spans[-1].start_us
    places = (last - first) // period.step_us + 1
    worst = max(period.spans, key=lambda span: (span.errors, -span.start_us))
    said = f"From {moment(first)} to {moment(last)} UTC. Most errors: {worst.errors:,} from {moment(worst.start_us)}."
    return tag(
        "svg",
        tag("title", said),
        *_axes(most, first, last),
        *_bars(period, most, places),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="timeline", role="img", focusable="false",
    )  # fmt: skip


def _axes(most: int, first: int, last: int) -> Iterator[Markup]:
    foot = _HEIGHT - _BOTTOM
    yield _line(_LEFT, foot, _WIDTH, foot)
    yield _line(_LEFT, _TOP, _WIDTH, _TOP)
    yield _label(f"{most:,}", _LEFT - 6, _TOP + 8, "end")
    yield _label("0", _LEFT - 6, foot, "end")
    yield _label(moment(first), _LEFT, _HEIGHT - 5, "start")
    if last != first:
        yield _label(moment(last), _WIDTH, _HEIGHT - 5, "end")


def _bars(period: Period, most: int, places: int) -> Iterator[Markup]:
    foot, tall = _HEIGHT - _BOTTOM, _HEIGHT - _BOTTOM - _TOP
    room = (_WIDTH - _LEFT) / places
    width = min(max(room * 0.8, 1), 40)
    for span in period.spans:
        place = (span.start_us - period.spans[0].start_us) // period.step_us
        left = _LEFT + place * room + (room - width) / 2
        calls, errors = span.calls / most * tall, span.errors / most * tall
        said = tag("title", f"{moment(span.start_us)}: {span.errors:,} of {span.calls:,} calls failed")
        worked = _rect(left, foot - calls, width, calls - errors, "worked")
        yield tag("g", said, worked, _rect(left, foot - errors, width, errors, "failed"))


def _rect(left: float, top: float, width: float, height: float, kind: str) -> Markup:
    place = {"x": f"{left:.1f}", "y": f"{top:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return tag("rect", class_=kind, **place)


def _line(left: float, top: float, right: float, bottom: float) -> Markup:
    return tag("line", x1=f"{left}", y1=f"{top}", x2=f"{right}", y2=f"{bottom}", class_="axis")


def _label(text: str, left: float, top: float, anchor: str) -> Markup:
    return tag("text", text, x=f"{left}", y=f"{top}", text_anchor=anchor)
