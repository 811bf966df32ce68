import dayjs from "dayjs";
import { useSyncExternalStore } from "react";
import { useTip } from "./TipArea.tsx";
import { readClock, subscribeClock } from "./clock.ts";
import { relativeTime } from "./relative-time.ts";
import { useRowWords } from "./row-words.ts";

/**
 * Shows a relative time, with the exact time and the time zone as tooltip. Times of 0 and below
 * mean "not yet" or "never" and show as `none`.
 */
export function TimeCell(props: { readonly seconds: number; readonly none?: string }) {
  const { seconds, none = "–" } = props;
  return seconds > 0 ? <Since seconds={seconds} /> : <span>{none}</span>;
}

function Since({ seconds }: { readonly seconds: number }) {
  const { time } = useRowWords();
  // The store's snapshot is the text itself, so a tick of the clock redraws only the cells whose
  // text changes.
  const text = useSyncExternalStore(subscribeClock, () => relativeTime(seconds, readClock(), time));
  const exact = dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss [(UTC]Z[)]");
  return (
    <time
      className="whitespace-nowrap"
      dateTime={new Date(seconds * 1000).toISOString()}
      {...useTip(exact)}
    >
      {text}
    </time>
  );
}
