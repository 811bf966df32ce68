/** Lets the pointer choose a stretch of a chart's time axis by dragging over it. */

import { type PointerEvent, useRef, useState } from "react";

/** How far the pointer must move, in pixels, so that it does not merely press a bar. */
const leastMove = 8;

/** The chosen stretch in pixels from the left edge. */
type BrushBox = { readonly left: number; readonly width: number };

/**
 * @param barAt finds the bar at a distance from the left edge, in pixels.
 * @param onBrush gets the first and the last bar of the stretch; absent: nothing can be chosen.
 */
export function useBrush(
  barAt: (x: number) => number,
  count: number,
  onBrush: ((first: number, last: number) => void) | undefined,
) {
  const from = useRef<number | null>(null);
  const [box, setBox] = useState<BrushBox | null>(null);

  const xOf = (event: PointerEvent<HTMLElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const end = (): void => {
    from.current = null;
    setBox(null);
  };

  if (onBrush === undefined || count === 0) return { box: null, handlers: {} };
  return {
    box,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button === 0) from.current = xOf(event);
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (from.current === null) return;
        const x = xOf(event);
        if (box === null && Math.abs(x - from.current) < leastMove) return;
        if (box === null) event.currentTarget.setPointerCapture(event.pointerId);
        setBox({ left: Math.min(x, from.current), width: Math.abs(x - from.current) });
      },
      onPointerUp() {
        if (box !== null) onBrush(barAt(box.left), barAt(box.left + box.width));
        end();
      },
      onPointerCancel: end,
    },
  };
}
