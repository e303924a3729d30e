"""SVG charts to embed in a page, without script or network, in the page's text colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tidings.errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType

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
_ROW: Final = 24
_LONGEST_LABEL: Final = 34


def timeline(
    points: Sequence[tuple[int, str, float]], bucket_us: int, value: str, *, height: int = 220
) -> str:
    """Draw stacked columns over time; the eight largest series have their own colours.

    A point is the start of a column (microseconds since 1970), its series and its value.
    """
    alt = _altair()
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
    data = _piled(merged, shown, bucket_us)
    colours = [_REST if one == REST else _PALETTE[i] for i, one in enumerate(shown)]
    chart = (
        alt.Chart(alt.Data(values=data), width=_WIDTH, height=height)
        .mark_rect()
        .encode(
            x=alt.X("from:T", title=None, scale=alt.Scale(type="utc"), axis=_time_axis(alt)),
            x2=alt.X2("to:T"),
            y=alt.Y("low:Q", title=value, axis=alt.Axis(format="~s", tickMinStep=1)),
            y2=alt.Y2("high:Q"),
            color=_colour(alt, "series", shown, colours),
        )
    )
    return _svg(chart)


def _piled(
    amounts: Mapping[tuple[int, str], float], series: Sequence[str], bucket_us: int
) -> list[dict[str, object]]:
    data: list[dict[str, object]] = []
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
    alt = _altair()
    data = [{"key": f"{i}", "label": label, "n": amount} for i, (label, amount) in enumerate(rows)]
    form = ".1%" if share else ",.2~f"
    base = alt.Chart(alt.Data(values=data), width=_WIDTH - 160, height=_ROW * max(1, len(rows)))
    axis = alt.Axis(format="%" if share else "~s", tickCount=5)
    x = alt.X("n:Q", title=value, axis=axis)
    drawn = base.mark_bar(color=_PALETTE[0], cornerRadiusEnd=2).encode(x=x, y=_rows(alt, data))
    texts = base.mark_text(align="left", dx=5, color="currentColor").encode(
        x=x, y=_rows(alt, data), text=alt.Text("n:Q", format=form)
    )
    return _svg(drawn + texts)


def stacked(rows: Sequence[tuple[str, str, float]], colours: Mapping[str, str], value: str) -> str:
    """Draw a bar of full width for each label, divided by parts: rows of label, part and value."""
    alt = _altair()
    labels = list(dict.fromkeys(label for label, _, _ in rows))
    keys = {label: f"{i}" for i, label in enumerate(labels)}
    parts = [one for one in colours if any(part == one for _, part, _ in rows)]
    data = [
        {"key": keys[label], "label": label, "part": part, "n": n, "order": parts.index(part)}
        for label, part, n in rows
    ]
    named = [{"key": keys[label], "label": label} for label in labels]
    chart = (
        alt.Chart(alt.Data(values=data), width=_WIDTH - 160, height=_ROW * max(1, len(labels)))
        .mark_bar()
        .encode(
            x=alt.X("n:Q", stack="normalize", title=value, axis=alt.Axis(format="%", tickCount=5)),
            y=_rows(alt, named),
            color=_colour(alt, "part", parts, [colours[one] for one in parts]),
            order=alt.Order("order:Q"),
        )
    )
    return _svg(chart)


def ranges(rows: Sequence[tuple[str, float, float, float]], value: str) -> str:
    """Draw a line from low to high with a point between for each row, on a logarithmic scale."""
    alt = _altair()
    # The logarithm needs positive values: smaller ones are drawn at the left end.
    floor = 0.01
    data = [
        {"key": f"{i}", "label": label, "low": max(low, floor), "mid": max(mid, floor),
         "high": max(high, floor)}
        for i, (label, low, mid, high) in enumerate(rows)
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=data), width=_WIDTH - 160, height=_ROW * max(1, len(rows)))
    highest = max((high for _, _, _, high in rows), default=1.0)
    tens = [10.0**power for power in range(-2, 12) if 10.0 ** (power - 1) < highest]
    scale = alt.Scale(type="log", nice=True)
    x = alt.X("low:Q", title=value, scale=scale, axis=alt.Axis(format="~g", values=tens))
    y = _rows(alt, data)
    line = base.mark_bar(height=6, color=_PALETTE[0], opacity=0.55, cornerRadius=3)
    spread = line.encode(x=x, x2=alt.X2("high:Q"), y=y)
    ends = base.mark_point(filled=True, size=55, color=_PALETTE[0], opacity=1)
    middle = base.mark_point(filled=True, size=70, color=_PALETTE[1], opacity=1)
    return _svg(
        spread
        + ends.encode(x=alt.X("low:Q"), y=y)
        + ends.encode(x=alt.X("high:Q"), y=y)
        + middle.encode(x=alt.X("mid:Q"), y=y)
    )


def _rows(alt: ModuleType, data: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401 -- altair's
    """Return the axis of labels, top to bottom; rows with equal labels stay separate."""
    # Labels are looked up, not written into the expression: they may contain anything.
    texts = [_shortened(str(one["label"])) for one in data]
    expression = f"{_expression_list(texts)}[toNumber(datum.value)]"
    axis = alt.Axis(labelExpr=expression, ticks=False, domain=False, grid=False)
    order = [str(one["key"]) for one in data]
    return alt.Y("key:N", title=None, sort=order, axis=axis)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_LABEL:
        return text
    end = _LONGEST_LABEL // 2 - 1
    return f"{text[: _LONGEST_LABEL - end - 1]}…{text[-end:]}"


def _expression_list(texts: Sequence[str]) -> str:
    """Return a list of texts as a Vega expression, every character escaped."""
    spelled = ("".join(f"\\u{unit:04x}" for unit in _utf16(text)) for text in texts)
    return "[" + ",".join(f"'{text}'" for text in spelled) + "]"


def _utf16(text: str) -> list[int]:
    octets = text.encode("utf-16-be", "replace")
    return [int.from_bytes(octets[at : at + 2], "big") for at in range(0, len(octets), 2)]


def _colour(alt: ModuleType, field: str, names: Sequence[str], colours: Sequence[str]) -> Any:  # noqa: ANN401
    scale = alt.Scale(domain=list(names), range=list(colours))
    legend = alt.Legend(orient="top", title=None, symbolType="square") if len(names) > 1 else None
    return alt.Color(f"{field}:N", scale=scale, legend=legend)


def _time_axis(alt: ModuleType) -> Any:  # noqa: ANN401 -- altair's
    hours = dict.fromkeys(("hours", "minutes"), "%H:%M")
    days = dict.fromkeys(("date", "day", "week"), "%d %b")
    fine = dict.fromkeys(("seconds", "milliseconds"), "%H:%M:%S")
    forms = {**fine, **hours, **days, "month": "%b %Y", "year": "%Y"}
    return alt.Axis(labelOverlap=True, grid=False, format=forms, formatType="time")


def _altair() -> ModuleType:
    try:
        import altair
    except ImportError as error:
        raise MissingExtra("altair, which charts need,", "spark") from error
    return altair


def _svg(chart: Any) -> str:  # noqa: ANN401 -- a chart of altair's, of any kind
    """Render a chart; texts and lines take the colours of the page."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtra("vl-convert, which draws charts,", "spark") from error
    quiet, text = "var(--line)", "currentColor"
    configured = chart.configure(
        background="transparent",
        # Room for fonts that are wider than those used for measuring.
        padding={"left": 30, "right": 30, "top": 5, "bottom": 5},
        font="system-ui, sans-serif",
        view={"stroke": "transparent"},
        axis={
            "labelColor": text,
            "titleColor": text,
            "gridColor": quiet,
            "domainColor": quiet,
            "tickColor": quiet,
            "labelLimit": 240,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titleOpacity": 0.7,
        },
        legend={
            "labelColor": text,
            "labelFontSize": 12,
            "columns": 4,
            "labelLimit": 160,
            "columnPadding": 28,
        },
        text={"font": "system-ui, sans-serif", "fontSize": 12},
    )
    drawn: str = vl_convert.vegalite_to_svg(configured.to_dict(), vl_version=_language(chart))
    return drawn


def _language(chart: Any) -> str:  # noqa: ANN401 -- a chart of altair's, of any kind
    """Return the Vega-Lite version of a chart, without the patch number."""
    schema: str = chart.to_dict()["$schema"]
    return ".".join(schema.rpartition("/v")[2].split(".")[:2])
