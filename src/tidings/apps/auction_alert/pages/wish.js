// The ETCL constraint of a form: text, and nothing else, is compared; what is left open matches.
const quoted = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;

export function constraintOf({ words, low, high, seller }) {
  const parts = [];
  if (words?.trim()) parts.push(`${quoted(words.trim())} ~ $item`);
  if (low?.trim()) parts.push(`$start_price >= ${low.trim()}`);
  if (high?.trim()) parts.push(`$start_price <= ${high.trim()}`);
  if (seller?.trim()) parts.push(`$seller == ${quoted(seller.trim())}`);
  return parts.join(" and ");
}
