// A chart over time (uPlot). Its legend has the latest values, and those under the pointer while it is over a chart.
import uPlot from "../vendor/uplot.js";
import { useCell } from "./cell.js";
import { colours } from "./theme.js";
import { html, useEffect, useRef, useState } from "./ui.js";

const HEIGHT = 128;
const LEAST_SECONDS = 300;
const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const second = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

// Steps of an axis: counts are whole, octets are powers of two.
export const WHOLE = [1, 2, 5].flatMap((one) => Array.from({ length: 12 }, (_, power) => one * 10 ** power)).sort((a, b) => a - b);
export const BINARY = Array.from({ length: 50 }, (_, power) => 2 ** power);

// times: seconds since 1970; series: [{name, values}]; show: value → text; group: charts that share the pointer
export function Chart({ title, times, series, show, steps, group = "console" }) {
  const place = useRef(), plot = useRef(), latest = useRef();
  const [pointed, point] = useState(null);
  const painted = useCell(colours);
  const data = [times, ...series.map((one) => one.values)];
  latest.current = data;
  useEffect(() => {
    const made = new uPlot(options(place.current, { series, show, steps, group, point }), latest.current, place.current);
    plot.current = made;
    const sized = new ResizeObserver(() => made.setSize({ width: place.current.clientWidth, height: HEIGHT }));
    sized.observe(place.current);
    return () => {
      sized.disconnect();
      made.destroy();
    };
  }, [painted, series.length]);
  useEffect(() => plot.current?.setData(data), [times, painted]);
  const at = pointed === null || pointed >= times.length ? times.length - 1 : pointed;
  const value = (one) => (at < 0 ? "–" : show(one.values[at] ?? 0));
  return html`<figure class="chart" aria-label=${`${title}: ${series.map((one) => `${one.name} ${value(one)}`).join(", ")}`}>
    <figcaption>
      <span class="chart-title">${title}</span>
      ${series.map((one, index) => html`<span class="key">${series.length > 1 && html`<i class=${`swatch series-${index + 1}`}></i>${one.name}`} <b>${value(one)}</b></span>`)}
      <span class="chart-time">${pointed !== null && at >= 0 && second.format(new Date(times[at] * 1000))}</span>
    </figcaption>
    <div class="chart-plot" ref=${place} aria-hidden="true"></div>
  </figure>`;
}

// Colours are those of the style sheet, as they are now.
function colour(place, name) {
  const probe = place.ownerDocument.createElement("i");
  probe.className = name;
  place.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function options(place, { series, show, steps, group, point }) {
  const soft = colour(place, "ink-soft"), line = colour(place, "ink-line");
  const font = `11px ${getComputedStyle(place).fontFamily}`;
  const axis = { stroke: soft, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
  return {
    width: place.clientWidth || 300,
    height: HEIGHT,
    padding: [6, 18, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: group }, points: { size: 6 }, drag: { x: false, y: false }, y: false },
    scales: {
      x: { range: (_, low, high) => [Math.min(low, high - LEAST_SECONDS), high] },
      y: { range: (_, low, high) => [0, Math.max(1e-9, high ?? 0) * 1.15 || 1] },
    },
    axes: [
      { ...axis, size: 22, space: 70, grid: { show: false }, values: (_, all) => all.map((one) => hour.format(new Date(one * 1000))) },
      { ...axis, size: 58, space: 30, ...(steps ? { incrs: steps } : {}), values: (_, all) => all.map((one) => show(one)) },
    ],
    series: [{}, ...series.map((_, index) => {
      const stroke = colour(place, `series-${index + 1}`);
      return { stroke, width: 1.5, points: { show: false }, fill: index ? undefined : faded(stroke) };
    })],
    hooks: { setCursor: [(made) => point(made.cursor.idx ?? null)] },
  };
}

const faded = (told) => told.replace(/rgba?\(([^)]+?)\)/, (_, parts) => `rgba(${parts.split(",").slice(0, 3).join(",")},0.1)`);
