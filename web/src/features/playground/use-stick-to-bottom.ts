import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** The largest distance from the end, in pixels, that still counts as being at the end. */
const slackPx = 48;

/**
 * Keeps a scrolling element at its end while the content grows, until the user scrolls up.
 *
 * @param content a value that changes whenever the content may have grown.
 */
export function useStickToBottom(content: unknown): {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly handleScroll: () => void;
  readonly scrollToEnd: () => void;
} {
  const scroller = useRef<HTMLDivElement | null>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const [isAtEnd, setAtEnd] = useState(true);

  const scrollToEnd = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    sticks.current = true;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    setAtEnd(true);
  }, []);

  const handleScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const near = scrollHeight - scrollTop - clientHeight <= slackPx;
    // `scrollTop` became smaller, which growing content never causes, so the user has scrolled up.
    if (scrollTop < lastTop.current && !near) sticks.current = false;
    else if (near) sticks.current = true;
    lastTop.current = scrollTop;
    setAtEnd(near);
  }, []);

  const follow = useCallback(() => {
    const element = scroller.current;
    if (element === null || !sticks.current) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, []);

  useLayoutEffect(follow, [content, follow]);

  // The content also grows later, when fonts, coloured code and pictures are loaded.
  useLayoutEffect(() => {
    const inside = scroller.current?.firstElementChild;
    if (inside === null || inside === undefined) return undefined;
    const observer = new ResizeObserver(follow);
    observer.observe(inside);
    return () => observer.disconnect();
  }, [follow]);

  return { scroller, isAtEnd, handleScroll, scrollToEnd };
}
