// The pages of the console, in the order of the navigation.
//
//   id     its place in the address: #/id
//   key    "g" and this key lead to it
//   load   its module, whose default export is the component; it gets {query}, the parameters of the address
export const PAGES = [
  { id: "overview", title: "Overview", key: "o", load: () => import("./overview.js") },
  { id: "objects", title: "Objects", key: "b", load: () => import("./objects.js") },
  { id: "clients", title: "Clients", key: "c", load: () => import("./clients.js") },
  { id: "filters", title: "Filters", key: "f", load: () => import("./filters.js") },
  { id: "events", title: "Events", key: "e", load: () => import("./events.js") },
  { id: "log", title: "Log", key: "l", load: () => import("./log.js") },
];
