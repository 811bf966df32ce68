import { useEffect, useEffectEvent, useState } from "react";

/** Milliseconds without a key press before the text is searched. */
const restMs = 300;

/**
 * Text that is typed here and kept elsewhere. It is passed on after a pause in typing, never while
 * a character is being composed, and replaced when the other place changes by itself (Back, a
 * cleared filter).
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
      // Cleared by the button or by Escape, so there is no pause to wait for.
      if (next === "" && value !== "" && !composing) onSend("");
    },
    /** Passes it on at once, for Enter and for leaving the field. */
    send,
    /** Props for an element around the field. */
    composition: {
      onCompositionStart: () => setComposing(true),
      onCompositionEnd: () => setComposing(false),
    },
  };
}
