/**
 * Sheets and dialogs that are open, in the order of opening. Two that stand side by side in the
 * tree both hear Escape and presses outside; only the upper one may obey.
 */

const frames: symbol[] = [];

/** The frame is on top from now on; call the answer when it closes. */
export function openFrame(frame: symbol): () => void {
  frames.push(frame);
  return () => {
    // After the key press that closed it: the frame below still hears the same one.
    setTimeout(() => {
      const place = frames.indexOf(frame);
      if (place >= 0) frames.splice(place, 1);
    });
  };
}

export function hasOpenFrame(): boolean {
  return frames.length > 0;
}

export function isTopFrame(frame: symbol): boolean {
  return frames.at(-1) === frame;
}
