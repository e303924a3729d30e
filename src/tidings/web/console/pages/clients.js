// Test clients: consumers and suppliers that run in this tab, each as a card.
import { useCell } from "../lib/cell.js";
import { act } from "../lib/actions.js";
import { useLive } from "../lib/live.js";
import { outlineLoader } from "../lib/outline.js";
import { Page } from "../lib/page.js";
import { Empty } from "../lib/states.js";
import { html, useMemo, useState } from "../lib/ui.js";
import { ConsumerCard, SupplierCard } from "./clients/cards.js";
import { clients, MOST_CLIENTS } from "./clients/client.js";
import { KINDS, Start } from "./clients/start.js";
import { Supplier } from "./clients/supplier.js";

export default function Clients() {
  const all = useCell(clients);
  const [starting, start] = useState("");
  const outline = useLive(useMemo(() => outlineLoader({ inside: false }), []), { every: 0, key: "outline" });
  const none = outline.data && !outline.data.channels.id.length;
  const full = all.length >= MOST_CLIENTS;
  const actions = Object.entries(KINDS).map(([id, { kind }]) => html`<button key=${id} disabled=${none || full}
    title=${full ? `${MOST_CLIENTS} clients run, as many as may` : null} onClick=${() => start(id)}>${kind}…</button>`);
  return html`<${Page} title="Clients" about="Consumers and suppliers to test with. They run in this tab, also while another page is open." actions=${actions}>
    ${all.length ? html`<div class="clients">${all.map((one) => (one instanceof Supplier
      ? html`<${SupplierCard} key=${one.id} client=${one} />` : html`<${ConsumerCard} key=${one.id} client=${one} />`))}</div>`
      : none ? html`<${Empty} title="No channels yet"><button onClick=${() => act("create_channel")}>Create a channel</button><//>`
      : html`<${Empty} title="No clients yet">Start a consumer and a supplier of the same channel, and see how events are delivered.<//>`}
    ${starting && html`<${Start} id=${starting} onClose=${() => start("")} />`}
  <//>`;
}
