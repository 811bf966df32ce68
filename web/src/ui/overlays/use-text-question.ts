import { useCallback, useMemo, useRef, useState } from "react";

/** A question in a dialog about several things, answered by a text. */
export type TextQuestion = {
  /** The number of things; 0: nothing is asked. */
  readonly count: number;
  /** True from the first question on, so that its dialog can be loaded for it. */
  readonly wasAsked: boolean;
  /** Resolves to the text; null: the user cancelled. */
  readonly ask: (count: number) => Promise<string | null>;
  readonly answer: (text: string | null) => void;
};

/** A second question answers the first with null. */
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
