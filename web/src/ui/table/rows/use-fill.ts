import { useLayoutEffect } from "react";

/** Pixels below which a table shows all its rows, in a page that scrolls. */
const heightMin = 320;

/** The share of the window's height that the frame gets if the page leaves it no room. */
const boundedShare = 0.7;

/**
 * Limits a frame's height so that the page ends with the window: the table's head and what follows
 * the table stay in view, and the rows scroll between them. `bounded`: never higher than the
 * window, because only visible rows are drawn.
 */
export function useFill(frame: HTMLElement | null, bounded: boolean): void {
  useLayoutEffect(() => {
    const list = frame?.closest<HTMLElement>("[data-list]");
    const page = list?.parentElement;
    if (frame === null || list === null || list === undefined || !page) return undefined;
    let before = -1;
    const fit = () => {
      // The height of everything except the frame, so it does not change with the frame's own
      // height.
      const around =
        heightBefore(page) + page.offsetHeight - frame.offsetHeight + heightAfter(page);
      const height = innerHeight - around;
      if (height === before) return;
      before = height;
      const most = height >= heightMin ? height : bounded ? innerHeight * boundedShare : null;
      frame.style.setProperty("max-height", most === null ? "none" : `${most}px`);
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(list);
    addEventListener("resize", fit);
    return () => {
      observer.disconnect();
      removeEventListener("resize", fit);
    };
  }, [frame, bounded]);
}

/** Pixels from the window's top to an element, unscrolled. */
function heightBefore(element: HTMLElement): number {
  let top = element.getBoundingClientRect().top + scrollY;
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (parent !== document.documentElement && parent !== document.body) top += parent.scrollTop;
  }
  return top;
}

/** Height of what follows an element in its scrolling parent, such as a footer. */
function heightAfter(element: HTMLElement): number {
  let height = 0;
  for (
    let part: Element | null = element;
    part !== null && part !== document.body && !scrolls(part);
    part = part.parentElement
  ) {
    for (let next = part.nextElementSibling; next !== null; next = next.nextElementSibling) {
      if (next instanceof HTMLElement) height += next.offsetHeight;
    }
  }
  return height;
}

function scrolls(element: Element): boolean {
  return ["auto", "scroll"].includes(getComputedStyle(element).overflowY);
}
