/**
 * The values that the console keeps in local storage under keys that the specification defines,
 * because other programs may read them there. Other modules keep some as well: `api/session.ts`
 * keeps `user` and `session-expired`, `i18n/t.ts` `i18nextLng`, the lists `page-size` and `id-sort`.
 */

import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { openStore } from "#api/store.ts";
import { statusStore } from "#api/status.ts";
import { storageKey } from "#page/base-path.ts";
import { judgeStoredChats } from "#widgets/chat/stored-chats.ts";

/** Fields of the server's status that are stored in local storage, each under its own name. */
export const statusKeys = [
  "chat_link",
  "chats",
  "default_collapse_sidebar",
  "enable_data_export",
  "enable_drawing",
  "enable_task",
  "footer_html",
] as const satisfies readonly (keyof Status)[];

/**
 * Key in local storage: whether the side menu is folded in this browser. Absent: the server's
 * default applies.
 */
const menuFoldedKey = storageKey("side-menu-folded");

const menuFolded = openStore<boolean | null>(readFolded());

export const menuFoldedStore = { subscribe: menuFolded.subscribe, read: menuFolded.read };

export function keepMenuFolded(folded: boolean): void {
  localStorage.setItem(menuFoldedKey, String(folded));
  menuFolded.write(folded);
}

/** Stores the status fields in local storage each time the console reads the status. */
export function followPreferences(): void {
  judgeStoredChats();
  const keep = (): void => {
    const state = statusStore.read();
    if (state.kind === "ready") keepStatusFields(state.status);
  };
  statusStore.subscribe(keep);
  keep();
}

/** Stores each status field: text as it is, every other type as JSON. */
export function keepStatusFields(status: Status): void {
  for (const key of statusKeys) {
    const value = status[key];
    localStorage.setItem(
      storageKey(key),
      typeof value === "string" ? value : JSON.stringify(value),
    );
  }
}

function readFolded(): boolean | null {
  const stored = localStorage.getItem(menuFoldedKey);
  return stored === null ? null : stored === "true";
}
