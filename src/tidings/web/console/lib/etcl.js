// The constraint language as the editor knows it: colours, completion, and a short course. What is valid, the service says.

// What every event has, and what the standard gives a meaning in its header.
export const STANDARD = [
  { name: "domain_name", about: "the event's domain" },
  { name: "type_name", about: "the event's type" },
  { name: "event_name", about: "the event's own name" },
  { name: "curtime.time", about: "now, in 100 ns since 1582" },
  { name: "Priority", about: "header: −32,767 to 32,767" },
  { name: "Timeout", about: "header: its lifetime, in 100 ns" },
  { name: "StartTime", about: "header: not before" },
  { name: "StopTime", about: "header: not after" },
  { name: "EventReliability", about: "header: 0 best effort, 1 persistent" },
];

export const EXAMPLES = [
  { text: "$rate > 50 and $rate <= 80", about: "Compare numbers, and join the parts." },
  { text: "$type_name == 'Speed' or $type_name == 'Jam'", about: "One of several types of events." },
  { text: "'school' ~ $zone", about: "A text that contains another." },
  { text: "17 in $zones", about: "A list that has an element." },
  { text: "exist $rate and $rate > 50", about: "Only if the property is there." },
  { text: "not ($state == 'closed')", about: "Put what you negate in parentheses." },
  { text: "$address.street == 'Main' and $tags[0] == 'new'", about: "Look into structures and lists." },
  { text: "($speed - $limit) * 100 / $limit > 20", about: "Calculate." },
];

export const OPERATORS = [
  ["==  !=", "equal, unequal; labels of enums need no quotes"],
  ["<  <=  >  >=", "less and greater: numbers, texts, booleans"],
  ["+  −  *  /  %", "calculate; whole numbers stay whole"],
  ["~", "the text on the right contains the one on the left"],
  ["in", "the list on the right has the value on the left"],
  ["and  or  not", "join: not comes first, then and, then or"],
  ["exist", "the property is there"],
  ["( )", "what belongs together"],
  ["'text'  12.5  TRUE", "texts in single quotes, numbers, booleans"],
];

const PIECE = /(?<string>'(?:[^'\\]|\\.)*'?)|(?<name>\$[\w\\]*(?:\.\(?[\w\\']*\)?|\[\d*\]?|\([\w\\]*\)?)*)|(?<word>\b(?:and|or|not|in|exist|default|true|false)\b)|(?<number>\b\d+(?:\.\d*)?(?:e[+-]?\d+)?)/gi;
const MOST = 5_000;

// The text in pieces, [{kind, start, end}], for colours; a very long one stays in one.
export function pieces(text) {
  if (text.length > MOST) return [];
  return [...text.matchAll(PIECE)].map((found) => ({
    kind: Object.keys(found.groups).find((name) => found.groups[name] !== undefined),
    start: found.index,
    end: found.index + found[0].length,
  }));
}

const TYPED = { domain_name: "domain", type_name: "type" };

// What is being typed before the caret, and could be completed: {kind, start, end, typed}; null for nothing. A name begins
// with its $, a domain or type with its quote.
export function wordAt(text, caret) {
  const before = text.slice(0, caret);
  const last = pieces(before).at(-1);
  if (last?.end !== caret) return null;
  const typed = before.slice(last.start);
  if (last.kind === "name") return /^\$\\?\w*$/.test(typed) ? { kind: "name", start: last.start, end: caret, typed: typed.slice(1) } : null;
  const asked = /\$(\w+)\s*[!=]=\s*$/.exec(before.slice(0, last.start));
  const isOpen = last.kind === "string" && (typed.length === 1 || !typed.endsWith("'"));
  return isOpen && TYPED[asked?.[1]] ? { kind: TYPED[asked[1]], start: last.start, end: caret, typed: typed.slice(1) } : null;
}

// What is put in the place of a word: a name with its $, a text with its quotes.
export function spelled(word, name, behind) {
  if (word.kind === "name") return `$${name}`;
  return `'${name.replace(/[\\']/g, "\\$&")}${behind.startsWith("'") ? "" : "'"}`;
}

// Of [{name, about}], those that fit what is typed: itself, then what begins with it, then what has it somewhere.
export function fitting(choices, typed) {
  const wanted = typed.toLowerCase();
  const place = (one) => (one.name === typed ? -1 : Math.min(1, one.name.toLowerCase().indexOf(wanted)));
  const found = choices.filter((one) => one.name.toLowerCase().includes(wanted)).sort((a, b) => place(a) - place(b));
  return found.length === 1 && found[0].name === typed ? [] : found; // nothing is left to complete
}

// Places that the service counts in characters, as JavaScript counts them.
export const indexOf = (text, characters) => [...text].slice(0, characters).join("").length;
