/**
 * The stack of open sheets and dialogs. If two of them are siblings in the React tree, both get
 * Escape and presses outside, but only the upper one may react.
 */

const frames: symbol[] = [];

/** Pushes a frame onto the stack; returns the function that removes it when it closes. */
export function openFrame(frame: symbol): () => void {
  frames.push(frame);
  return () => {
    // The frame is removed after a moment, because the key press that closed it also reaches the
    // frame below, which must not react.
    setTimeout(() => {
      const place = frames.indexOf(frame);
      if (place >= 0) frames.splice(place, 1);
    });
  };
}

export function countFrames(): number {
  return frames.length;
}

export function isTopFrame(frame: symbol): boolean {
  return frames.at(-1) === frame;
}
