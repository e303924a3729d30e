// The city as a drawing: streets, and an image for each car, monitor with its sign, and the control room.
import { html } from "/console/lib/ui.js";
import { passing } from "./words.js";

export function CityMap({ city, board }) {
  const [width, height] = city.size, { state, line } = board;
  const at = ([x, y]) => [x, height - y];
  const cars = Object.keys(city.cars).filter((name) => state[name]);
  const places = { ...city.room, ...city.roads, ...Object.fromEntries(cars.map((name) => [name, [state[name].x, state[name].y]])) };
  const links = line ? passing(line, city).filter((pair) => pair.every((name) => places[name])) : [];
  const marked = (name) => (line?.entity === name ? "now" : "");
  return html`<svg class="map" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${spoken(city, state)}>
    <${Blocks} kind="park" of=${PARKS} /><${Blocks} kind="house" of=${HOUSES} />
    ${city.streets.map((street) => html`<polyline class="street" points=${points(street.map(at))} />`)}
    ${city.streets.map((street) => html`<polyline class="middle" points=${points(street.map(at))} />`)}
    ${Object.values(city.roads).map((place) => html`<circle class="reach" ...${centre(at(place))} r=${city.reach} />`)}
    ${cars.map((name) => html`<circle key=${name} class=${`field ${name}`} ...${centre(at(places[name]))} r=${city.reach} />`)}
    ${links.map(([from, to]) => html`<${Link} from=${at(places[from])} to=${at(places[to])} bad=${line.word === "fined"} />`)}
    ${Object.keys(city.room).map((name) => html`<${Room} key=${name} place=${at(places[name])} mark=${marked(name)} fines=${state[name]?.fines ?? 0} />`)}
    ${Object.keys(city.roads).map((name) => html`<${Monitor} key=${name} name=${name} place=${at(places[name])} mark=${marked(name)} limit=${state[name]?.limit} />`)}
    ${cars.map((name) => html`<${Car} key=${name} name=${name} place=${at(places[name])} mark=${marked(name)} car=${state[name]} />`)}
  </svg>`;
}

const points = (places) => places.map((place) => place.join(",")).join(" ");
const centre = ([cx, cy]) => ({ cx, cy });
const moved = ([x, y]) => `translate(${x} ${y})`;

const spoken = (city, state) => `Map of the city. ${Object.keys(city.cars).filter((name) => state[name]).map((name) => `${name} drives ${state[name].rate} km/h`).join(", ")}`;

const Link = ({ from, to, bad }) => html`<line class=${bad ? "link bad" : "link"} x1=${from[0]} y1=${from[1]} x2=${to[0]} y2=${to[1]} />`;

const Car = ({ name, place, car, mark }) => html`<g class=${`${name} ${mark}`} transform=${moved(place)}>
  <g transform=${`rotate(${car.heading})`}>
    <rect class="body" x="-13" y="-24" width="26" height="48" rx="9" />
    <path class="glass" d="M-9 -8 L-7 -14 H7 L9 -8 Z M-8 14 H8 L7 10 H-7 Z" />
    ${car.brakes && html`<rect class="brake" x="-12" y="20" width="8" height="6" rx="2" /><rect class="brake" x="4" y="20" width="8" height="6" rx="2" />`}
  </g>
  <rect class="label" x="-78" y="28" width="156" height="26" rx="6" /><text y="46">${name} · ${car.rate} km/h</text>
</g>`;

// A mast with a radio, and beside it the sign.
const Monitor = ({ name, place, limit, mark }) => html`<g class=${mark} transform=${moved(place)}>
  <path class="mast" d="M-6 22 L-2 -20 H2 L6 22 Z" transform="translate(0 -42)" />
  <path class="wave" d="M-9 -72 a13 13 0 0 1 0 -18 M9 -72 a13 13 0 0 0 0 -18" />
  <circle class="mast" cx="0" cy="-80" r="4" />
  <g transform="translate(40 -52)"><rect class="mast" x="-2" y="20" width="4" height="16" /><circle class="plate" r="21" />
    <text class="limit" y="7">${limit ?? "–"}</text></g>
  <text class="end" x="-24" y="-48">${name}</text>
</g>`;

const Room = ({ place, fines, mark }) => html`<g class=${mark} transform=${moved(place)}>
  <path class="wall" d="M-38 26 V-14 L0 -34 L38 -14 V26 Z" />
  <path class="pane" d="M-26 -8 h12 v10 h-12 Z M-6 -8 h12 v10 h-12 Z M14 -8 h12 v10 h-12 Z M-6 10 h12 v16 h-12 Z" />
  <text y="50">control room</text>
  <text class="quiet" y="70">${fines} ${fines === 1 ? "fine" : "fines"}</text>
</g>`;

// Parks and houses: x, y, width and height from the north-west corner.
const PARKS = [[135, 375, 170, 150], [930, 400, 130, 150]];
const HOUSES = [[150, 150, 90, 60], [260, 150, 60, 110], [400, 240, 150, 70], [650, 150, 70, 160], [740, 250, 120, 60], [650, 390, 110, 70], [650, 490, 60, 70],
  [420, 400, 120, 60], [420, 490, 60, 60], [1140, 130, 40, 190], [1140, 380, 40, 150], [20, 150, 40, 240], [160, 640, 220, 40], [520, 640, 260, 40], [560, 20, 200, 40]];
const Blocks = ({ kind, of }) => html`${of.map(([x, y, width, height]) => html`<rect class=${kind} x=${x} y=${y} width=${width} height=${height} rx="8" />`)}`;
