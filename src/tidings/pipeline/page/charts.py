"""SVG charts to embed in a page, without script or network, in the page's text colours.

They are Vega-Lite specifications, drawn by vl-convert.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from tidings.errors import MissingExtra

_Spec: TypeAlias = dict[str, Any]

# Eight colours that are distinct on dark and light ground, also with most colour blindness.
_PALETTE: Final = (
    *("#4f83cc", "#ef8e3b", "#4aa564", "#b67fc4"),
    *("#dd5b5b", "#4fb3bf", "#c9a227", "#8d7b6c"),
)
_REST: Final = "#9aa0a6"
REST: Final = "the rest"

OUTCOME_COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "delivered": "#4aa564",
        "pending": "#9aa0a6",
        "expired": "#c9a227",
        "discarded": "#ef8e3b",
        "no longer tracked": "#8d7b6c",
        "disconnected": "#b67fc4",
        "rejected": "#a83a3a",
        "dead-lettered": "#dd5b5b",
        "lost": "#7a1f1f",
        "purged": "#5f7f7a",
        "unexplained": "#ff2d20",
        "best effort": "#4f83cc",
    }
)
"""Colour of each outcome on every page."""

_WIDTH: Final = 560
_BAR_WIDTH: Final = _WIDTH - 160
_ROW: Final = 24
_LONGEST_LABEL: Final = 34
_LEAST: Final = 0.01  # drawn on a logarithmic scale; smaller values are at the left end

_FINE, _HOURS, _DAYS = ("seconds", "milliseconds"), ("hours", "minutes"), ("date", "day", "week")
_TIMES: Final = {
    **dict.fromkeys(_FINE, "%H:%M:%S"),
    **dict.fromkeys(_HOURS, "%H:%M"),
    **dict.fromkeys(_DAYS, "%d %b"),
    "month": "%b %Y",
    "year": "%Y",
}
_FONT: Final = "system-ui, sans-serif"
_TEXT: Final = {"labelColor": "currentColor", "labelFontSize": 12}
# Texts and lines take the colours of the page.
_CONFIG: Final = {
    "background": "transparent",
    # Room for fonts that are wider than those used for measuring.
    "padding": {"left": 30, "right": 30, "top": 5, "bottom": 5},
    "font": _FONT,
    "view": {"stroke": "transparent"},
    "axis": {
        **_TEXT,
        **dict.fromkeys(("gridColor", "domainColor", "tickColor"), "var(--line)"),
        "labelLimit": 240,
        "titleColor": "currentColor",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleOpacity": 0.7,
    },
    "legend": {**_TEXT, "columns": 4, "labelLimit": 160, "columnPadding": 28},
    "text": {"font": _FONT, "fontSize": 12},
}


def timeline(points: Sequence[tuple[int, str, float]], bucket_us: int, value: str) -> str:
    """Draw stacked columns over time; the eight largest series have their own colours.

    A point is the start of a column (microseconds since 1970), its series and its value.
    """
    sums: dict[str, float] = {}
    for _, series, amount in points:
        sums[series] = sums.get(series, 0) + amount
    shown = sorted(sums, key=lambda one: (-sums[one], one))[: len(_PALETTE)]
    merged: dict[tuple[int, str], float] = {}
    for at, series, amount in points:
        key = (at, series if series in shown else REST)
        merged[key] = merged.get(key, 0) + amount
    if len(shown) < len(sums):
        shown.append(REST)
    colours = [_REST if one == REST else _PALETTE[i] for i, one in enumerate(shown)]
    axis = {"labelOverlap": True, "grid": False, "format": _TIMES, "formatType": "time"}
    column = {
        "x": {**_field("from", "temporal", None, axis), "scale": {"type": "utc"}},
        "x2": {"field": "to"},
        "y": _field("low", "quantitative", value, {"format": "~s", "tickMinStep": 1}),
        "y2": {"field": "high"},
        "color": _colour("series", shown, colours),
    }
    return _svg(_piled(merged, shown, bucket_us), _WIDTH, 220, _mark("rect", column))


def _piled(
    amounts: Mapping[tuple[int, str], float], series: Sequence[str], bucket_us: int
) -> list[_Spec]:
    data: list[_Spec] = []
    for at in sorted({at for at, _ in amounts}):
        low = 0.0
        for one in series:
            high = low + amounts.get((at, one), 0)
            if high > low:
                # Slightly narrower than the bucket, to separate columns.
                ends = {"from": at / 1_000, "to": (at + bucket_us * 0.94) / 1_000}
                data.append({**ends, "low": low, "high": high, "series": one})
            low = high
    return data


def bars(rows: Sequence[tuple[str, float]], value: str, *, share: bool = False) -> str:
    """Draw a labelled bar for each row (label, value), in the given order."""
    data = [{"key": f"{i}", "label": label, "n": amount} for i, (label, amount) in enumerate(rows)]
    axis = {"format": "%" if share else "~s", "tickCount": 5}
    place = {"x": _field("n", "quantitative", value, axis), "y": _labels(data)}
    text = {"field": "n", "type": "quantitative", "format": ".1%" if share else ",.2~f"}
    return _svg(
        data,
        _BAR_WIDTH,
        _ROW * max(1, len(rows)),
        _mark("bar", place, color=_PALETTE[0], cornerRadiusEnd=2),
        _mark("text", {**place, "text": text}, align="left", dx=5, color="currentColor"),
    )


def stacked(rows: Sequence[tuple[str, str, float]], colours: Mapping[str, str], value: str) -> str:
    """Draw a bar of full width for each label, divided by parts: rows of label, part and value."""
    labels = list(dict.fromkeys(label for label, _, _ in rows))
    keys = {label: f"{i}" for i, label in enumerate(labels)}
    parts = [one for one in colours if any(part == one for _, part, _ in rows)]
    data: list[_Spec] = [
        {"key": keys[label], "label": label, "part": part, "n": n, "order": parts.index(part)}
        for label, part, n in rows
    ]
    named = [{"key": keys[label], "label": label} for label in labels]
    axis = {"format": "%", "tickCount": 5}
    bar = {
        "x": {**_field("n", "quantitative", value, axis), "stack": "normalize"},
        "y": _labels(named),
        "color": _colour("part", parts, [colours[one] for one in parts]),
        "order": {"field": "order", "type": "quantitative"},
    }
    return _svg(data, _BAR_WIDTH, _ROW * max(1, len(labels)), _mark("bar", bar))


def ranges(rows: Sequence[tuple[str, float, float, float]], value: str) -> str:
    """Draw a line from low to high with a point between for each row, on a logarithmic scale."""
    data = [
        {"key": f"{i}", "label": label, "low": max(low, _LEAST), "mid": max(mid, _LEAST),
         "high": max(high, _LEAST)}
        for i, (label, low, mid, high) in enumerate(rows)
    ]  # fmt: skip
    highest = max((high for _, _, _, high in rows), default=1.0)
    tens = [10.0**power for power in range(-2, 12) if 10.0 ** (power - 1) < highest]
    low = _field("low", "quantitative", value, {"format": "~g", "values": tens})
    low["scale"] = {"type": "log", "nice": True}
    y = _labels(data)

    def points(field: str, colour: str, size: int) -> _Spec:
        place = {"x": {"field": field, "type": "quantitative"}, "y": y}
        return _mark("point", place, filled=True, size=size, color=colour, opacity=1)

    line = {"x": low, "x2": {"field": "high"}, "y": y}
    return _svg(
        data,
        _BAR_WIDTH,
        _ROW * max(1, len(rows)),
        _mark("bar", line, height=6, color=_PALETTE[0], opacity=0.55, cornerRadius=3),
        points("low", _PALETTE[0], 55),
        points("high", _PALETTE[0], 55),
        points("mid", _PALETTE[1], 70),
    )


def _field(name: str, kind: str, title: str | None, axis: _Spec) -> _Spec:
    return {"field": name, "type": kind, "title": title, "axis": axis}


def _mark(kind: str, encoding: _Spec, **looks: object) -> _Spec:
    return {"mark": {"type": kind, **looks}, "encoding": encoding}


def _labels(data: Sequence[Mapping[str, Any]]) -> _Spec:
    """Return the axis of labels, top to bottom; rows with equal labels stay separate."""
    # Labels are looked up, not written into the expression: they may contain anything. As a Vega
    # expression, every character is escaped.
    spelled = []
    for one in data:
        octets = _shortened(str(one["label"])).encode("utf-16-be", "replace").hex()
        units = (octets[at : at + 4] for at in range(0, len(octets), 4))
        spelled.append("".join(f"\\u{unit}" for unit in units))
    listed = ",".join(f"'{text}'" for text in spelled)
    looks = dict.fromkeys(("ticks", "domain", "grid"), False)
    axis = {"labelExpr": f"[{listed}][toNumber(datum.value)]", **looks}
    return {**_field("key", "nominal", None, axis), "sort": [str(one["key"]) for one in data]}


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_LABEL:
        return text
    end = _LONGEST_LABEL // 2 - 1
    return f"{text[: _LONGEST_LABEL - end - 1]}…{text[-end:]}"


def _colour(field: str, names: Sequence[str], colours: Sequence[str]) -> _Spec:
    legend = {"orient": "top", "title": None, "symbolType": "square"} if len(names) > 1 else None
    scale = {"domain": list(names), "range": list(colours)}
    return {"field": field, "type": "nominal", "scale": scale, "legend": legend}


def _svg(data: Sequence[_Spec], width: int, height: int, *layers: _Spec) -> str:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtra("vl-convert, which draws charts,", "spark") from error
    size = {"width": width, "height": height}
    spec = {**size, "data": {"values": data}, "layer": layers, "config": _CONFIG}
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn
