import { useEffect, useEffectEvent, useState } from "react";

/** Milliseconds without a key until what was typed is searched for. */
const restMs = 300;

/**
 * Text that is typed here and stands elsewhere. It is sent when typing rests, never in the middle of
 * composing a character, and replaced when the other place changes by itself (Back, a cleared
 * filter).
 */
export function useDraftText(value: string, onSend: (text: string) => void) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [composing, setComposing] = useState(false);
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }

  const send = () => {
    if (!composing && text.trim() !== value) onSend(text.trim());
  };
  const sendRested = useEffectEvent(send);
  useEffect(() => {
    if (composing || text.trim() === known) return undefined;
    const timer = setTimeout(sendRested, restMs);
    return () => clearTimeout(timer);
  }, [text, known, composing]);

  return {
    text,
    change(next: string) {
      setText(next);
      // Emptied by its button or by Escape: that is no pause in typing.
      if (next === "" && value !== "" && !composing) onSend("");
    },
    /** At once, for Enter and for leaving the field. */
    send,
    /** For an element around the field. */
    composition: {
      onCompositionStart: () => setComposing(true),
      onCompositionEnd: () => setComposing(false),
    },
  };
}
