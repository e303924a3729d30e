// The names of channels and proxies, for lists that have their ids only; and the choice of a channel.
import { visible } from "./format.js";
import { useLive } from "./live.js";
import { column, outlineLoader } from "./outline.js";
import { address } from "./router.js";
import { Name } from "./text.js";
import { html, useMemo } from "./ui.js";

const EVERY = 30;

// {channels, consumers(channel), channel(id), proxy(channel, id)}. Names are empty until they are here, and for what has
// none or has ended.
export function useNames() {
  const { data } = useLive(useMemo(() => outlineLoader(), []), { every: EVERY, key: "names" });
  return useMemo(() => namesOf(data), [data]);
}

function namesOf(data) {
  const named = (table) => (table ? table.id.map((id, row) => ({ id, row, name: table.name[row], channel: table.channel?.[row] })) : []);
  const channels = named(data?.channels).sort(byName), proxies = named(data?.proxies).sort(byName);
  const names = new Map([...channels.map((one) => [`${one.id}`, one.name]), ...proxies.map((one) => [`${one.channel}/${one.id}`, one.name])]);
  return {
    known: Boolean(data), channels,
    consumers: (channel) => proxies.filter((one) => one.channel === channel && column(data.proxies.side)(one.row) === "consumer"),
    channel: (id) => names.get(`${id}`) ?? "",
    proxy: (channel, id) => names.get(`${channel}/${id}`) ?? "",
  };
}

const byName = (a, b) => (a.name ? 0 : 1) - (b.name ? 0 : 1) || a.name.localeCompare(b.name) || a.id - b.id;

export const ChannelLink = ({ id, name }) => html`<a href=${address("objects", { at: `channel-${id}` })}><${Name} name=${name} kind="channel" id=${id} /></a>`;

export const ProxyLink = ({ channel, id, name }) => html`<a href=${address("objects", { at: `proxy-${channel}-${id}` })}><${Name} name=${name} kind="proxy" id=${id} /></a>`;

// `all`: the words for none in particular; without them one must be chosen. What is chosen stays in the list if it ends.
export function Choice({ label, kind, among, value, onChoose, all }) {
  const gone = value && !among.some((one) => one.id === value);
  return html`<select class="choice" aria-label=${label} value=${value || ""} onChange=${(event) => onChoose(Number(event.target.value))}>
    ${all && html`<option value="">${all}</option>`}
    ${[...(gone ? [{ id: value, name: "" }] : []), ...among].map((one) => html`<option key=${one.id} value=${one.id}>${one.name ? visible(one.name, 60) : `${kind} ${one.id}`}</option>`)}
  </select>`;
}
