// Very many rows of one height, of which only those that can be seen are in the page.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./ui.js";

const SPARE = 8;

// rows: any; rowHeight in pixels; shown: the index that must be in view; children: (row, index) → element.
// onView is told the first row and the one behind the last that are in the page.
// What else is given (role, aria-*, handlers) goes to the scrolling element.
export function Rows({ rows, rowHeight, shown, head, children, onView, ...rest }) {
  const element = useRef();
  const [view, look] = useView(element);
  useShown(element, shown, rowHeight, head ? rowHeight : 0);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  useEffect(() => onView?.(first, last), [first, last, rows]);
  return html`<div ref=${element} class="rows" onScroll=${look} ...${rest}>
    ${head}
    <div role="rowgroup" class="rows-all" style=${{ height: `${rows.length * rowHeight}px` }}>
      <div role="presentation" style=${{ transform: `translateY(${first * rowHeight}px)` }}>
        ${rows.slice(first, last).map((row, at) => children(row, first + at))}
      </div>
    </div>
  </div>`;
}

// Hooks that stay are functions of their own: they would hold on to the rows that there were when they began.
function useView(element) {
  const [view, setView] = useState({ top: 0, height: 600 });
  const look = () => setView({ top: element.current.scrollTop, height: element.current.clientHeight });
  useEffect(() => {
    const sized = new ResizeObserver(look);
    sized.observe(element.current);
    return () => sized.disconnect();
  }, []);
  return [view, look];
}

function useShown(element, shown, rowHeight, above) {
  useLayoutEffect(() => {
    if (shown < 0) return;
    const { scrollTop, clientHeight } = element.current;
    const top = shown * rowHeight, room = clientHeight - above;
    if (top < scrollTop) element.current.scrollTop = top;
    else if (top + rowHeight > scrollTop + room) element.current.scrollTop = top + rowHeight - room;
  }, [shown]);
}
