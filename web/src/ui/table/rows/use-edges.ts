import { useEffect } from "react";

/**
 * Says on the frame itself whether columns are hidden `data-before` and `data-after` its edges, for
 * the lines at the columns that stay. Nothing is drawn again for it.
 */
export function useEdges(frame: HTMLElement | null): void {
  useEffect(() => {
    if (frame === null) return undefined;
    const look = () => {
      const rest = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
      frame.toggleAttribute("data-before", frame.scrollLeft > 0);
      frame.toggleAttribute("data-after", rest > 1);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    if (frame.firstElementChild !== null) observer.observe(frame.firstElementChild);
    frame.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      frame.removeEventListener("scroll", look);
    };
  }, [frame]);
}
