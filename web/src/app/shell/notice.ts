/** What root announces to everybody; each text is shown once by itself in a browser. */

import { useEffect, useSyncExternalStore } from "react";
import { readNotice } from "@tollgate/contract/content.ts";
import { call } from "#api/call.ts";
import { openStore } from "#api/store.ts";

/** Local storage's name for the text that was seen last; the family's. */
export const noticeKey = "notice";

/** Milliseconds between two readings, at the least. */
const staleMs = 5 * 60_000;

type Notice = {
  /** Empty: there is none, or none is known yet. */
  readonly text: string;
  readonly seen: string;
  readonly isShown: boolean;
};

const store = openStore<Notice>({
  text: "",
  seen: localStorage.getItem(noticeKey) ?? "",
  isShown: false,
});

/** Unix milliseconds of the last reading. */
let readAt = 0;

/** Whether this page has shown it by itself, or been asked for it; later ones mark the bell only. */
let wasOffered = false;

export function useNotice(): Notice & { readonly isUnread: boolean } {
  const notice = useSyncExternalStore(store.subscribe, store.read);
  return { ...notice, isUnread: isUnread(notice) };
}

/** Reads it now and whenever somebody comes back to the page after a while. */
export function useNoticeReading(): void {
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === "visible") void readWhenStale();
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, []);
}

async function readWhenStale(): Promise<void> {
  if (Date.now() - readAt < staleMs) return;
  readAt = Date.now();
  try {
    const text = (await call(readNotice, {})).trim();
    const next = { ...store.read(), text };
    // What the address has open is what somebody came for.
    const isBusy = new URLSearchParams(location.search).has("open");
    store.write({ ...next, isShown: next.isShown || (isUnread(next) && !wasOffered && !isBusy) });
    if (isUnread(next)) wasOffered = true;
  } catch {
    // The bell stays away: nobody is told of the failure of what they did not ask for.
  }
}

function isUnread({ text, seen }: Notice): boolean {
  return text !== "" && text !== seen;
}

export function openNotice(): void {
  store.write({ ...store.read(), isShown: true });
}

export function closeNotice(): void {
  const { text } = store.read();
  localStorage.setItem(noticeKey, text);
  store.write({ text, seen: text, isShown: false });
}
