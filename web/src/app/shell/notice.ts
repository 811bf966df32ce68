/** Root's notice to everybody; each text opens by itself once in a browser. */

import { useEffect, useSyncExternalStore } from "react";
import { readNotice } from "@tollgate/contract/content.ts";
import { call } from "#api/call.ts";
import { openStore } from "#api/store.ts";

/** Key in local storage for the text that was seen last; other one-api consoles use it too. */
export const noticeKey = "notice";

/** Least milliseconds between two readings. */
const staleMs = 5 * 60_000;

type Notice = {
  /** Empty: there is none, or it is not read yet. */
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

/** Whether this page load has opened a notice by itself; later ones only mark the bell. */
let wasOffered = false;

export function useNotice(): Notice & { readonly isUnread: boolean } {
  const notice = useSyncExternalStore(store.subscribe, store.read);
  return { ...notice, isUnread: isUnread(notice) };
}

/** Reads the notice now, and again when the user returns to the page after a while. */
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
    // No notice is shown over a record that the address opens.
    const isBusy = new URLSearchParams(location.search).has("open");
    store.write({ ...next, isShown: next.isShown || (isUnread(next) && !wasOffered && !isBusy) });
    if (isUnread(next)) wasOffered = true;
  } catch {
    // The user did not ask for the notice, so an error in reading it is not shown; the bell is just
    // absent.
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
