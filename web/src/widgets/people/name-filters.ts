/**
 * Filters of lists by user, group, API key and channel. They suggest names while the user types, and
 * take the beginning of a name as well, which is sent with a final `%`.
 */

import { searchChannels } from "@tollgate/contract/endpoints/channels.ts";
import { listGroups, listOwnGroups } from "@tollgate/contract/endpoints/groups.ts";
import { searchAllTokens } from "@tollgate/contract/endpoints/tokens.ts";
import { searchUsers } from "@tollgate/contract/endpoints/user-admin.ts";
import { call } from "#api/call.ts";
import { isLikeKey } from "#ui/copy/kept-secret.ts";
import type { Suggestions } from "#ui/table/column.ts";

/** The largest number of suggestions. */
const foundMax = 20;

/** A name's beginning, as the console API expects it. */
function prefix(text: string): string {
  return text === "" ? "" : `${text}%`;
}

/** An id, or nothing. */
export function idAlone(text: string): string | null {
  return /^\d{0,15}$/.test(text) ? text : null;
}

/** Names of users, for admins. */
export const byUser: Suggestions = {
  read: prefix,
  async find(keyword, signal) {
    const { items } = await call(searchUsers, { keyword, p: 1, page_size: foundMax }, signal);
    return items.map(({ id, username, display_name }) => ({
      value: username,
      label: username,
      hint: display_name === username ? `#${id}` : `${display_name} · #${id}`,
    }));
  },
};

/** The same for lists that take every text as a part or the beginning of a name. */
export const byUserText: Suggestions = { ...byUser, read: (text) => text };

/** Names of groups: all of them for admins, and otherwise those that the caller may use. */
export function byGroup(isAdmin: boolean): Suggestions {
  return isAdmin ? anyGroup : ownGroup;
}

const anyGroup: Suggestions = {
  read: prefix,
  find: async (text, signal) => matching(await call(listGroups, {}, signal), text),
};

const ownGroup: Suggestions = {
  read: prefix,
  find: async (text, signal) => matching(Object.keys(await call(listOwnGroups, {}, signal)), text),
};

function matching(names: readonly string[], text: string) {
  return names
    .filter((name) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, foundMax)
    .map((name) => ({ value: name, label: name }));
}

/** Names of API keys: of all users for root, and otherwise of the caller. */
export const byToken: Suggestions = {
  read: prefix,
  async find(text, signal) {
    const names = (await findTokens(text, signal)).map(({ name }) => name);
    return [...new Set(names)].map((name) => ({ value: name, label: name }));
  },
};

/** Ids of API keys, which are found by their names. */
export const byTokenId: Suggestions = {
  read: (text) => (text === "-1" ? text : idAlone(text)),
  find: async (text, signal) =>
    (await findTokens(text, signal)).map(({ id, name }) => ({
      value: String(id),
      label: `#${id}`,
      hint: name,
    })),
};

async function findTokens(keyword: string, signal: AbortSignal) {
  // A key that was pasted here is a secret, and belongs into no address.
  if (isLikeKey(keyword)) return [];
  return await call(searchAllTokens, { keyword, page: 1, size: foundMax }, signal);
}

/** Channels by their names, for admins; the value is an id, or the beginning of a name. */
export const byChannel: Suggestions = {
  read: (text) => idAlone(text) ?? prefix(text),
  find: findChannels,
};

/** Channels for lists that know their ids alone. */
export const byChannelId: Suggestions = { read: idAlone, find: findChannels };

async function findChannels(keyword: string, signal: AbortSignal) {
  const rows = await call(searchChannels, { keyword, p: 0, page_size: foundMax }, signal);
  return rows
    .slice(0, foundMax)
    .map(({ id, name }) => ({ value: String(id), label: name, hint: `#${id}` }));
}
