import { useLayoutEffect } from "react";

/**
 * Keeps the columns as wide as the first rows made them. In a long list only the visible rows are
 * drawn, so the widths would otherwise change while scrolling.
 */
export function useLockedWidths(
  frame: HTMLElement | null,
  locked: boolean,
  columns: unknown,
): void {
  useLayoutEffect(() => {
    const table = frame?.querySelector("table");
    if (frame === null || table === null || table === undefined || !locked) return undefined;
    const heads = [...table.querySelectorAll<HTMLElement>("thead th")];
    const asked = heads.map((head) => head.style.width);
    const unlock = () => {
      table.style.removeProperty("table-layout");
      for (const [index, head] of heads.entries()) head.style.width = asked[index] ?? "";
    };
    let before = -1;
    const lock = () => {
      if (frame.clientWidth === before) return;
      before = frame.clientWidth;
      unlock();
      const widths = heads.map((head) => head.offsetWidth);
      for (const [index, head] of heads.entries()) head.style.width = `${widths[index] ?? 0}px`;
      table.style.setProperty("table-layout", "fixed");
    };
    const observer = new ResizeObserver(lock);
    observer.observe(frame);
    return () => {
      observer.disconnect();
      unlock();
    };
  }, [frame, locked, columns]);
}
