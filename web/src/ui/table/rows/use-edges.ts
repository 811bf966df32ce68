import { useEffect } from "react";

/**
 * Sets `data-before` and `data-after` on the frame while columns are hidden beyond its left and
 * right edge; the style sheet then draws a line beside the columns that stick there. It causes no
 * React rendering.
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
