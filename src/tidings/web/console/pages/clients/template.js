// Events from a template: JSON in which {n}, {random 0 100} and {time} are filled in. Pure.
//
//   n       the number of the event, from 1 on
//   random  a number between two: a whole one if both are, else with decimals
//   time    when it is made, RFC 3339

const PLACES = /\{(n|time|random\s+(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?))\}/g;

export const EXAMPLE = `{
  "domain": "Test",
  "type": "Reading",
  "name": "sensor-{n}",
  "data": {"value": {random 0 100}, "at": "{time}"}
}`;

export function filledIn(template, n, now, random = Math.random) {
  const text = template.replace(PLACES, (_, what, low, high) => {
    if (what === "n") return String(n);
    return what === "time" ? new Date(now).toISOString() : String(drawn(low, high, random()));
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Filled in, this is not JSON: ${error.message}`);
  }
}

function drawn(low, high, part) {
  const [from, to] = [Number(low), Number(high)].sort((a, b) => a - b);
  const places = Math.max(...[low, high].map((one) => (one.split(".")[1] ?? "").length));
  if (places) return Number((from + part * (to - from)).toFixed(places + 2));
  return from + Math.floor(part * (to - from + 1));
}
