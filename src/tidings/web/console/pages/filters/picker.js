// Chooses the admin or proxy that a filter is added to.
import { treeLoader } from "../../lib/branches.js";
import { Dialog } from "../../lib/dialog.js";
import { plural } from "../../lib/format.js";
import { useLive } from "../../lib/live.js";
import { called } from "../../lib/objects.js";
import { Empty, Loaded } from "../../lib/states.js";
import { named } from "../../lib/text.js";
import { textOf } from "../../lib/tree.js";
import { html, useMemo, useState } from "../../lib/ui.js";

const MOST = 50;

export function Picker({ channel, onPick, onClose }) {
  const tree = useLive(useMemo(() => everything(treeLoader()), []), { every: 0, key: "tree" });
  const objects = useMemo(() => tree.data && objectsIn(tree.data, channel?.id), [tree.data]);
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const pick = (one) => {
    onClose();
    onPick({ at: one.at, what: one.what });
  };
  return html`<${Dialog} title="Add to an object" onClose=${onClose}><div>
    <input type="search" class="whole" autofocus placeholder="Name, channel, kind, client" aria-label="Search objects" value=${search} onInput=${(event) => setSearch(event.target.value)} />
    <${Loaded} of=${{ ...tree, loading: !objects && !tree.error }}>${() => {
      const found = objects.filter((one) => words.every((word) => one.text.includes(word)));
      return html`<ul class="picker">${found.slice(0, MOST).map((one) => html`<li key=${one.key}><button class="whole" onClick=${() => pick(one)}>${one.what} <span class="soft">${one.where}</span></button></li>`)}</ul>
        ${found.length === 0 && html`<${Empty} title="Nothing found" />`}
        ${found.length > MOST && html`<p class="soft">${plural(found.length - MOST, "more object")}: search for one.</p>`}`;
    }}<//>
  </div><//>`;
}

const everything = (loader) => () => loader.load({ shown: [], searching: true });

// Admins and proxies, those of the channel first.
function objectsIn(tree, first) {
  const channels = [...tree.children].sort((a, b) => (b.id === first) - (a.id === first));
  return channels.flatMap((channel) => inside(channel).map((node) => {
    const where = `in ${named("channel", channel.id, channel.name)}`;
    const at = { ...node.at, ...(node.side ? { side: node.side } : {}) };
    return { key: node.key, at, what: called(node), where: node.kind === "proxy" ? `${node.side}, ${where}` : where, text: `${channel.name.toLowerCase()} ${textOf(node)}` };
  }));
}

const inside = (node) => (node.children ?? []).flatMap((one) => [one, ...inside(one)]);
