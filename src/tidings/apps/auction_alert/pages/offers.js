// Offers in a table; they vanish when they close.
import { now } from "/console/lib/clock.js";
import { seconds } from "/console/lib/format.js";
import { Text } from "/console/lib/text.js";
import { html, useEffect, useState } from "/console/lib/ui.js";

const euros = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
export const price = (n) => (n === null ? "–" : euros.format(n));

export const isOpen = (offer) => offer.closes === null || offer.closes / 1000 > now();

export function useSeconds() {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => again((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
}

const left = (offer) => (offer.closes === null ? "–" : isOpen(offer) ? `in ${seconds(Math.ceil((offer.closes / 1000 - now()) / 1000))}` : "closed");

export function Offers({ offers, label }) {
  useSeconds();
  return html`<table class="offers" aria-label=${label}>
    <thead><tr><th>Item</th><th class="n">Start price</th><th class="n">Closes</th></tr></thead>
    <tbody>${offers.map((one) => html`<tr key=${one.id} data-seq=${one.seq} class=${isOpen(one) ? "" : "closed"}>
      <td><${Text} text=${one.item} most=${120} /> <small><${Text} text=${one.category} most=${40} /> · <${Text} text=${one.seller} most=${60} /></small></td>
      <td class="n">${price(one.start_price)}</td>
      <td class="n closes">${left(one)}</td>
    </tr>`)}</tbody>
  </table>`;
}
