import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react";
import { hideKnownKey } from "#ui/copy/kept-secret.ts";

/** Milliseconds without a key press after which the typed text is sent. */
const restMs = 300;

/**
 * Holds the typed text of a field whose value the caller keeps, for example in the address. The
 * text is sent to the caller after a pause in typing, never while an input method is composing. It
 * is replaced when the caller's value changes by other means, such as Back or a cleared filter. A key
 * of a provider is sent as its mask, because the caller's value stands in an address.
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
    if (composing || text.trim() === value) return;
    const sent = hideKnownKey(text.trim());
    if (sent === value) setText(value);
    else onSend(sent);
  };
  /** Sends the text for Enter; a text that was sent before asks `onAgain` for its answer again. */
  const enter = (event: KeyboardEvent, onAgain: (() => unknown) | undefined) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    if (!composing && text.trim() === value) onAgain?.();
    else send();
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
      // An emptied field (by its button or by Escape) is sent immediately, because no more typing
      // is expected.
      if (next === "" && value !== "" && !composing) onSend("");
    },
    /** Sends the text immediately, for leaving the field. */
    send,
    enter,
    /**
     * Event handlers for an element around the field, which notice when an input method is
     * composing.
     */
    composition: {
      onCompositionStart: () => setComposing(true),
      onCompositionEnd: () => setComposing(false),
    },
  };
}
