/** Root's notice to all visitors. Each new text opens by itself once in a browser. */

import { useEffect, useSyncExternalStore } from "react";
import { readNotice } from "@tollgate/contract/endpoints/content.ts";
import { call } from "#api/call.ts";
import { openStore } from "#api/store.ts";
import { storageKey } from "#page/base-path.ts";

/**
 * Key in local storage for the last text that the user saw; other one-api consoles use this key,
 * too.
 */
export const noticeKey = storageKey("notice");

/** The least time between two reads of the notice, in milliseconds. */
const staleMs = 5 * 60_000;

type Notice = {
  /** The notice's text; empty: there is none, or it has not been read yet. */
  readonly text: string;
  readonly seen: string;
  readonly isShown: boolean;
};

const store = openStore<Notice>({
  text: "",
  seen: localStorage.getItem(noticeKey) ?? "",
  isShown: false,
});

/** When the notice was last read, in Unix milliseconds. */
let readAt = 0;

/**
 * Whether the notice has already opened by itself in this page load; later notices only mark the
 * bell.
 */
let wasOffered = false;

export function useNotice(): Notice & { readonly isUnread: boolean } {
  const notice = useSyncExternalStore(store.subscribe, store.read);
  return { ...notice, isUnread: isUnread(notice) };
}

/**
 * Reads the notice when the component first appears, and again when the user returns to the page
 * after at least `staleMs`.
 */
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
    // The notice does not open above the sheet of a record that the address opens.
    const isBusy = new URLSearchParams(location.search).has("open");
    store.write({ ...next, isShown: next.isShown || (isUnread(next) && !wasOffered && !isBusy) });
    if (isUnread(next)) wasOffered = true;
  } catch {
    // An error is not shown, because the user did not ask for the notice; only the bell is missing.
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
