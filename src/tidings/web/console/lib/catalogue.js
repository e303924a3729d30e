// The operations of the service, read from its own document: /v1/openapi.json.
//
//   const all = await catalogue();
//   all.find("set_qos", {channel: 3})   the variant of an operation that is about a channel
//   all.of("channel")                   all that can be done with an object of a kind
import { fieldOf, resolved } from "./schema.js";
import { ask, revived } from "./service.js";
import { useEffect, useState } from "./ui.js";

const KINDS = {
  service: "/v1",
  channel: "/v1/channels/{channel}",
  admin: "/v1/channels/{channel}/admins/{side}/{admin}",
  proxy: "/v1/channels/{channel}/proxies/{proxy}",
  filter: "/v1/filters/{filter}",
};

let loading = null;
revived.watch(() => { loading = null; }); // another version may run now

export function catalogue() {
  loading ??= ask("GET", "/v1/openapi.json").then(read);
  loading.catch(() => { loading = null; });
  return loading;
}

export function useCatalogue() {
  const [found, set] = useState(null);
  useEffect(() => { catalogue().then(set, () => {}); }, []);
  return found;
}

const parametersIn = (path) => [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name);

function read(document) {
  const all = [], looks = new Map();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, told] of Object.entries(methods)) {
      if (method === "get") addLook(looks, path);
      if (told["x-operation"]) all.push(...operations(document, path, method.toUpperCase(), told));
    }
  for (const one of all) one.look = lookAt(one.path, looks);
  return { find: (name, at = {}) => pick(all.filter((one) => one.name === name), at, name), of: (kind) => ofKind(all, kind) };
}

// One operation; two if the side of the object decides which one it is.
function operations(document, path, method, told) {
  const body = told.requestBody?.content["application/json"]?.schema;
  const parameters = (told.parameters ?? []).filter((one) => one.in === "path");
  const one = {
    method, path, parameters: parametersIn(path),
    name: told["x-operation"],
    summary: told.summary,
    text: told.description ?? "",
    right: told["x-right"],
    rightText: told["x-right-text"],
    destroys: told["x-destroys"],
    shows: told["x-shows"] ?? "",
    tag: told.tags?.[0] ?? "",
    answers: answersOf(told),
    fields: Object.fromEntries(parameters.map((each) => [each.name,
      fieldOf(document, { ...each.schema, description: each.description }, { name: each.name, required: true })])),
    body: body ? fieldOf(document, body, { required: true }) : null,
    example: body ? resolved(document, body).examples?.[0] : undefined,
  };
  const sides = Object.entries(told["x-by-side"] ?? {});
  return sides.length ? sides.map(([side, name]) => ({ ...one, name, side, body: without(one.body, "side") })) : [one];
}

const without = (body, name) => ({ ...body, members: body.members.filter((one) => one.name !== name) });

// Whether people want to read the answer: it is not just the object that was made or changed.
function answersOf(told) {
  const [status, answer] = Object.entries(told.responses).find(([one]) => one.startsWith("2")) ?? [];
  return Boolean(status === "200" && answer.content && !told["x-shows"]) || /token/.test(told["x-operation"]);
}

// What can be looked at, by the path of the object; how it is set up says more than how it is.
function addLook(looks, path) {
  const object = path.replace(/\/config$/, "");
  if (object.endsWith("}") && (object !== path || !looks.has(object))) looks.set(object, path);
}

// Where the object can be looked at that an operation is about.
function lookAt(path, looks) {
  const parts = path.split("/");
  for (let length = parts.length; length > 2; length--) {
    const start = parts.slice(0, length).join("/");
    if (looks.has(start)) return looks.get(start);
  }
  return "";
}

// Of the variants of an operation, the one about the nearest object; `at` has ids and names by parameter.
function pick(variants, at, name) {
  const known = (one) => one.parameters.filter((parameter) => parameter in at).length;
  const fits = variants.filter((one) => !one.side || !at.side || one.side === at.side);
  const found = fits.sort((a, b) => known(b) - known(a) || a.parameters.length - b.parameters.length)[0];
  if (!found) throw new Error(`the service has no operation ${name}`);
  return found;
}

// What can be done with objects of a kind and not with what is in them; what destroys comes last.
function ofKind(all, kind) {
  const start = KINDS[kind];
  const deeper = Object.values(KINDS).filter((path) => path.length > start.length && path.startsWith(start));
  return all
    .filter((one) => one.method !== "GET" && (one.path === start || one.path.startsWith(`${start}/`)))
    .filter((one) => !deeper.some((path) => one.path === path || one.path.startsWith(`${path}/`)))
    .sort((a, b) => a.destroys - b.destroys || a.summary.localeCompare(b.summary));
}

export function filled(path, at) {
  return path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(at[name]).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E")));
}
