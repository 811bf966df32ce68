/**
 * The open sheets and dialogs in the order of opening. Two that are siblings in the tree both get
 * Escape and presses outside; only the upper one may react.
 */

const frames: symbol[] = [];

/** Puts the frame on top; call the returned function when it closes. */
export function openFrame(frame: symbol): () => void {
  frames.push(frame);
  return () => {
    // Waits, because the frame below also receives the key press that closed this one.
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
