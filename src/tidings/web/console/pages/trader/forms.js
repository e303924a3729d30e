// The dialogs for offers: a field for each property that the service type declares.
import { act } from "../../lib/actions.js";
import { changedOf, membersOf } from "./properties.js";

export const exportOffer = (type, properties) => act("export_offer", {
  what: type, values: { type },
  shape: (body) => withProperties(body, membersOf(properties)),
});

export const changeOffer = (offer, properties) => act("modify_offer", {
  at: { offer: offer.id }, what: offer.id,
  shape: (body) => withProperties(body, membersOf(properties, offer.properties)),
  fit: ({ properties: given = {} }, draft, first) => changedOf(given, draft.properties, first.properties),
});

const withProperties = (body, members) => ({
  ...body,
  members: [...body.members.filter((one) => !["properties", "delete"].includes(one.name)),
    { kind: "object", name: "properties", label: "Properties", text: "", required: true, isOpen: true, members }],
});
