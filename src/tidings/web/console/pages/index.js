// The pages of the console, in the order of the navigation.
//
//   id     its place in the address: #/id
//   key    "g" and this key lead to it
//   load   its module, whose default export is the component; it gets {query}, the parameters of the address
export const PAGES = [
  { id: "overview", title: "Overview", key: "o", load: () => import("./overview.js") },
  { id: "objects", title: "Objects", key: "b", load: () => import("./objects.js") },
  { id: "reports", title: "Reports", key: "r", load: () => import("./reports.js") },
  { id: "log", title: "Log", key: "l", load: () => import("./log.js") },
];
