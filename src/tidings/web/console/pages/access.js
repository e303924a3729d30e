// Who may do what: whoever looks, principals, grants, credentials.
import { act } from "../lib/actions.js";
import { count, octets, time } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { openMenu } from "../lib/menu.js";
import { Page, Section } from "../lib/page.js";
import { Pager, usePages } from "../lib/pages.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html, useRef } from "../lib/ui.js";
import { Grants, Moment } from "./access/grants.js";

const EVERY = 10;

export default function Access({ query }) {
  const myself = useLive("/v1/whoami", { every: EVERY });
  const own = myself.data?.kind === "password" && html`<button onClick=${() => act("set_password", { at: { principal: myself.data.principal } })}>Change your password</button>`;
  return html`<${Page} title="Access">
    <${Section} title="You" actions=${own}><${Loaded} of=${myself}>${(data) => html`<${Myself} one=${data} />`}<//><//>
    <${Administered} principal=${query.principal ?? ""} to=${query.to ?? ""} />
  <//>`;
}

function Myself({ one }) {
  const by = one.credential ? `by ${one.kind} ${one.credential}` : one.kind ? `by ${one.kind}` : "without a credential";
  return html`<p>You are <b><${Text} text=${one.principal} /></b>, ${by}${one.expires_at && html` until ${time(one.expires_at)}`}${one.roles.length > 0 && html`,
      with the roles <${Text} text=${one.roles.join(", ")} />`}.
      ${one.everything ? " You may do everything: you own this service." : one.grants.length ? " You may:" : " Nothing is granted to you."}</p>
    ${!one.everything && one.grants.length > 0 && html`<${Grants} grants=${one.grants} />`}`;
}

// The rest is for those who administer access.
function Administered({ principal, to }) {
  const principals = usePages("/v1/principals", "principals", { query: { principal }, idOf: (one) => one.name, by: "after_name", every: EVERY });
  const admitted = useRef(false); // each refusal is counted: one is enough
  if (principals.data) admitted.current = true;
  if (principals.error?.status === 403) return html`<p class="soft">Principals, grants and credentials are for those who administer access.</p>`;
  return html`<${Principals} all=${principals} chosen=${principal} />
    ${admitted.current && html`<${GrantsOf} key=${to || principal} to=${to || principal} />
      ${!to.startsWith("role:") && html`<${Credentials} key=${principal} principal=${principal} />`}`}`;
}

const choose = (principal, to = "") => change({ principal, to });

function Principals({ all, chosen }) {
  const find = (event) => {
    event.preventDefault();
    choose(new FormData(event.target).get("name").trim());
  };
  const actions = html`${chosen && html`<button onClick=${() => choose("")}>Show all</button>`}
    <form class="inline" onSubmit=${find}><input type="search" name="name" placeholder="Name (/)" aria-label="Find a principal by its whole name" defaultValue=${chosen} /></form>
    <button onClick=${() => act("create_principal")}>Create a principal</button>`;
  const none = chosen ? html`<${Empty} title="No such principal">Names are found as a whole.<//>`
    : html`<${Empty} title="No principals yet">The service has its owner only. A program or a person gets a principal, a grant, and a token or password.<//>`;
  return html`<${Section} title="Principals" actions=${actions}><${Loaded} of=${all} empty=${() => !all.rows.length && !all.before && none}>
    ${() => html`<div class="scroll"><table class="lines">
      <thead><tr><th>Name</th><th>Roles</th><th>Limits</th><th>State</th><th>Created</th><th>Last used</th><th><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${all.rows.map((one) => html`<tr key=${one.name}>
        <td class="name"><button class="link" onClick=${() => choose(one.name)}><${Text} text=${one.name} /></button></td>
        <td><span class="who-list">${one.roles.map((role) => html`<button key=${role} class="link" title="Grants to this role" onClick=${() => choose("", `role:${role}`)}><${Text} text=${role} /></button>`)}</span></td>
        <td class="soft">${limits(one.limits)}</td>
        <td class=${one.disabled ? "bad" : ""}>${one.disabled ? "disabled" : "active"}</td>
        <td class="nowrap"><${Moment} at=${one.created_at} /></td>
        <td class="nowrap"><${Moment} at=${one.used_at} /></td>
        <td class="nowrap n"><button class="small" aria-haspopup="menu" aria-label=${`Actions on ${one.name}`} onClick=${(event) => openMenu(event.currentTarget, menuOf(one), `What can be done with ${one.name}`)}>Actions ▾</button></td>
      </tr>`)}</tbody>
    </table></div><${Pager} of=${all} />`}<//><//>`;
}

const LIMITS = {
  events_per_second: (n) => `${count(n)} events/s`,
  event_octets: (n) => `${octets(n)} an event`,
  connections: (n) => `${count(n)} connections`,
  subscriptions: (n) => `${count(n)} subscriptions`,
  queued_octets: (n) => `${octets(n)} queued`,
};

const limits = (told) => Object.entries(LIMITS).filter(([name]) => told[name] !== null).map(([name, show]) => show(told[name])).join(", ") || "none";

function menuOf(one) {
  const at = { name: one.name, principal: one.name }, what = one.name;
  const values = { roles: one.roles, limits: one.limits, disabled: one.disabled };
  const item = (text, name, more = {}) => ({ text, act: () => act(name, { at, what, ...more }) });
  return [
    item("Change…", "change_principal", { values }),
    item(one.disabled ? "Enable…" : "Disable…", "change_principal", { values, edits: { disabled: !one.disabled } }),
    item("Grant something…", "create_grant", { values: { to: one.name } }),
    null,
    item("Create a token…", "create_token"),
    item("Set a password…", "set_password"),
    item("Add a certificate…", "add_certificate"),
    item("Create a CORBA reference…", "create_reference"),
    null,
    { ...item("Delete…", "delete_principal"), bad: true },
  ];
}

function GrantsOf({ to }) {
  const grants = usePages("/v1/grants", "grants", { query: { to }, every: EVERY });
  const actions = html`${to.startsWith("role:") && html`<button onClick=${() => choose("")}>Show all</button>`}
    <button onClick=${() => act("create_grant", { values: { to } })}>Grant something</button>`;
  return html`<${Section} title="Grants" about=${to && html`to <${Text} text=${to} />`} actions=${actions}><${Loaded} of=${grants}
    empty=${() => !grants.rows.length && !grants.before && html`<${Empty} title="Nothing granted">${to ? "What its roles are granted is listed under them." : "A principal may do nothing before something is granted to it."}<//>`}>
    ${() => html`<${Grants} grants=${grants.rows} revoke /><${Pager} of=${grants} />`}<//><//>`;
}

function Credentials({ principal }) {
  const credentials = usePages("/v1/credentials", "credentials", { query: { principal }, every: EVERY });
  const actions = html`<button onClick=${() => act("create_token", { at: principal ? { principal } : {}, what: principal })}>Create a token</button>`;
  return html`<${Section} title="Credentials" about=${principal ? html`of <${Text} text=${principal} />` : "their secrets cannot be shown again"} actions=${actions}><${Loaded} of=${credentials}
    empty=${() => !credentials.rows.length && !credentials.before && html`<${Empty} title="No credentials">By a token, password, certificate or CORBA reference a principal says who it is.<//>`}>
    ${() => html`<div class="scroll"><table class="lines">
      <thead><tr><th>Principal</th><th>Kind</th><th>Label</th><th>Created</th><th>Ends</th><th>Last used</th><th><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${credentials.rows.map((one) => html`<tr key=${one.id}>
        <td class="name"><${Text} text=${one.principal} /></td>
        <td class="nowrap">${one.kind} ${one.id}</td>
        <td class="wide"><${Text} text=${one.label} />${one.leads_to && html` <span class="soft">leads to <${Text} text=${one.leads_to} /></span>`}</td>
        <td class="nowrap"><${Moment} at=${one.created_at} /></td>
        <td class="nowrap"><${Moment} at=${one.expires_at} ends /></td>
        <td class="nowrap"><${Moment} at=${one.used_at} /></td>
        <td class="n"><button class="small" onClick=${() => act("revoke_credential", { at: { credential: one.id }, what: `${one.kind} ${one.id} of ${one.principal}` })}>Revoke…</button></td>
      </tr>`)}</tbody>
    </table></div><${Pager} of=${credentials} />`}<//><//>`;
}
