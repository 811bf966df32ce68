/** The calls that try prices on past calls. */

import {
  beginPricePreview,
  cancelPricePreview,
  type PreviewDays,
  type PricePreview,
  readPricePreview,
} from "@tollgate/contract/endpoints/price-previews.ts";
import { useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { call } from "#api/call.ts";

/** Prices to try; what is left out stays as it is. */
export type TriedPrices = Omit<z.input<(typeof beginPricePreview)["input"]>, "days">;

/** How often a running preview is asked about, in milliseconds. */
const intervalMs = 400;

type Shown = {
  /** Null: none was begun. */
  readonly preview: PricePreview | null;
  readonly failure: unknown;
  readonly isBeginning: boolean;
};

const nothing: Shown = { preview: null, failure: null, isBeginning: false };

/** How long ago the calls have ended that are charged again, in seconds. */
const overSeconds = 20;
const daySeconds = 86_400;

/** Returns the time of the last days without the last seconds, in Unix seconds. */
function overSpan(days: number) {
  const end = Math.floor(Date.now() / 1_000) - overSeconds;
  return { start_timestamp: end - days * daySeconds, end_timestamp: end };
}

/** Begins, follows and ends one preview; one that still runs when nobody looks any more is ended. */
export function usePreview(tried: TriedPrices, isOver = false) {
  const [shown, setShown] = useState<Shown>(nothing);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function begin(days: PreviewDays) {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setShown({ ...nothing, isBeginning: true });
    try {
      let preview = await call(beginPricePreview, {
        ...tried,
        days,
        ...(isOver ? overSpan(days) : {}),
      });
      const name = preview.id;
      // The server ends and forgets it.
      const end = () => void call(cancelPricePreview, { name }).catch(() => undefined);
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
      while (!signal.aborted) {
        setShown({ ...nothing, preview });
        if (preview.state !== "running") return;
        await new Promise((resolve) => setTimeout(resolve, intervalMs));
        if (!signal.aborted) preview = await call(readPricePreview, { name }, signal);
      }
    } catch (failure) {
      if (!signal.aborted) setShown({ ...nothing, failure });
    }
  }

  return {
    ...shown,
    begin,
    cancel: () => {
      running.current?.abort();
      setShown(nothing);
    },
  };
}
