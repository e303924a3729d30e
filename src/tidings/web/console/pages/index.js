// The pages of the console, in the order of the navigation.
//
//   id     its place in the address: #/id
//   group  the heading it stands below
//   key    "g" and this key lead to it
//   load   its module, whose default export is the component; it gets {query}, the parameters of the address
export const GROUPS = ["Watch", "Inspect", "Try", "Operate"];

export const PAGES = [
  { id: "overview", group: "Watch", title: "Overview", key: "o", load: () => import("./overview.js") },
  { id: "events", group: "Watch", title: "Events", key: "e", load: () => import("./events.js") },
  { id: "notices", group: "Watch", title: "Notices", key: "n", load: () => import("./notices.js") },
  { id: "objects", group: "Inspect", title: "Objects", key: "b", load: () => import("./objects.js") },
  { id: "federation", group: "Inspect", title: "Federation", key: "m", load: () => import("./federation.js") },
  { id: "types", group: "Inspect", title: "Event types", key: "y", load: () => import("./types.js") },
  { id: "trader", group: "Inspect", title: "Trader", key: "t", load: () => import("./trader.js") },
  { id: "reports", group: "Inspect", title: "Reports", key: "r", load: () => import("./reports.js") },
  { id: "filters", group: "Try", title: "Filters", key: "f", load: () => import("./filters.js") },
  { id: "clients", group: "Try", title: "Clients", key: "c", load: () => import("./clients.js") },
  { id: "letters", group: "Operate", title: "Dead letters", key: "d", load: () => import("./letters.js") },
  { id: "access", group: "Operate", title: "Access", key: "a", load: () => import("./access.js") },
  { id: "settings", group: "Operate", title: "Settings", key: "s", load: () => import("./settings.js") },
  { id: "log", group: "Operate", title: "Log", key: "l", load: () => import("./log.js") },
];
