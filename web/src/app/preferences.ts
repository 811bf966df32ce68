/**
 * The values that the console keeps in local storage under the specification's keys, because other
 * programs may read them there. `api/session.ts` keeps `user`, `i18n/t.ts` `i18nextLng`, the lists
 * `page-size` and `id-sort`.
 */

import type { Status } from "@tollgate/contract/status.ts";
import { openStore } from "#api/store.ts";
import { statusStore } from "#api/status.ts";

/** Status fields that are stored under their own names in local storage. */
export const statusKeys = [
  "chat_link",
  "chats",
  "default_collapse_sidebar",
  "enable_data_export",
  "enable_drawing",
  "enable_task",
  "footer_html",
] as const satisfies readonly (keyof Status)[];

/** Whether this browser folds the side menu; absent: the server's default applies. */
const menuFoldedKey = "side-menu-folded";

const menuFolded = openStore<boolean | null>(readFolded());

export const menuFoldedStore = { subscribe: menuFolded.subscribe, read: menuFolded.read };

export function keepMenuFolded(folded: boolean): void {
  localStorage.setItem(menuFoldedKey, String(folded));
  menuFolded.write(folded);
}

/** Keeps the status fields in local storage each time they are read. */
export function followPreferences(): void {
  const keep = (): void => {
    const state = statusStore.read();
    if (state.kind === "ready") keepStatusFields(state.status);
  };
  statusStore.subscribe(keep);
  keep();
}

/** Text is stored as it is, everything else as JSON. */
export function keepStatusFields(status: Status): void {
  for (const key of statusKeys) {
    const value = status[key];
    localStorage.setItem(key, typeof value === "string" ? value : JSON.stringify(value));
  }
}

function readFolded(): boolean | null {
  const stored = localStorage.getItem(menuFoldedKey);
  return stored === null ? null : stored === "true";
}
