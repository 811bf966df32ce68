import { useLayoutEffect } from "react";

/**
 * If less than this height, in pixels, is left for the table, its frame is not limited and the page
 * scrolls instead.
 */
const heightMin = 320;

/**
 * How high the frame is then, as a share of the window's height, for a list that draws only its
 * visible rows.
 */
const boundedShare = 0.7;

/**
 * Limits the height of a table's frame so that the page is as high as the window: the table's head
 * and what follows the table stay in view, and the rows scroll between them. `bounded`: the frame
 * always has a limit, because the list draws only its visible rows.
 */
export function useFill(frame: HTMLElement | null, bounded: boolean): void {
  useLayoutEffect(() => {
    const list = frame?.closest<HTMLElement>("[data-list]");
    const page = list?.parentElement;
    if (frame === null || list === null || list === undefined || !page) return undefined;
    let before = -1;
    const fit = () => {
      // The height of everything but the frame. It does not depend on the frame's own height, so
      // setting that causes no further change.
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

/**
 * Measures the distance in pixels from the top of the window to an element, as if nothing were
 * scrolled.
 */
function heightBefore(element: HTMLElement): number {
  let top = element.getBoundingClientRect().top + scrollY;
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (parent !== document.documentElement && parent !== document.body) top += parent.scrollTop;
  }
  return top;
}

/**
 * Measures the height of what follows an element inside the part of the page that scrolls, such as
 * a footer.
 */
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
