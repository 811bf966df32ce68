import { useCallback, useMemo, useRef, useState } from "react";

/**
 * A question about a number of things, such as selected rows, which a dialog asks and the user
 * answers with a text.
 */
export type TextQuestion = {
  /** The number of things that the question is about; 0: no question is open. */
  readonly count: number;
  /** Whether a question was ever asked. Until then, the code of its dialog need not be loaded. */
  readonly wasAsked: boolean;
  /** Asks the question. Resolves to the user's text; null: the user cancelled. */
  readonly ask: (count: number) => Promise<string | null>;
  readonly answer: (text: string | null) => void;
};

/**
 * Returns the state of a text question. Asking a second one while the first is open answers the
 * first with null.
 */
export function useTextQuestion(): TextQuestion {
  const [count, setCount] = useState(0);
  const [wasAsked, setWasAsked] = useState(false);
  const resolve = useRef<((text: string | null) => void) | null>(null);
  const answer = useCallback((text: string | null) => {
    setCount(0);
    resolve.current?.(text);
    resolve.current = null;
  }, []);
  const ask = useCallback(
    (asked: number) => {
      answer(null);
      setCount(asked);
      setWasAsked(true);
      return new Promise<string | null>((done) => {
        resolve.current = done;
      });
    },
    [answer],
  );
  return useMemo(() => ({ count, wasAsked, ask, answer }), [count, wasAsked, ask, answer]);
}
