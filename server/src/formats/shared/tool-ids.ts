import { hashText } from "#base/secrets.ts";
import type { Item } from "#canonical/request.ts";

/**
 * Gives the tool calls of a conversation ids that the upstream accepts, and their results the same.
 * An id that occurs twice gets a suffix, because some clients use one again in a later turn. Equal
 * conversations get equal ids, so that the upstream finds them in its cache.
 *
 * Expects each result behind its call and before the next call with the same id.
 */
export function renameCalls(
  items: readonly Item[],
  legalId: (id: string) => string,
): readonly Item[] {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  const current = new Map<string, string>();
  return items.map((item, index) => {
    if (item.type === "tool-call") {
      const legal = item.callId === "" ? madeId(`${item.name} ${index}`) : item.callId;
      const callId = unused(legalId(legal), used, counts, legalId);
      current.set(item.callId, callId);
      return { ...item, callId };
    }
    if (item.type !== "tool-result") return item;
    return { ...item, callId: current.get(item.callId) ?? legalId(item.callId) };
  });
}

/** @param counts the last suffix of each id that occurred twice, so that none is tried again. */
function unused(
  id: string,
  used: Set<string>,
  counts: Map<string, number>,
  legalId: (id: string) => string,
): string {
  let free = id;
  if (used.has(id)) {
    const made = madeId(id);
    let count = counts.get(id) ?? 1;
    while (used.has(free)) {
      count += 1;
      free = legalId(`${made}_${count}`);
    }
    counts.set(id, count);
  }
  used.add(free);
  return free;
}

/** Makes an id for a call that came without one. Equal seeds make equal ids. */
export function madeId(seed: string): string {
  return `call_${hashText(seed).slice(0, 24)}`;
}

/** An id of letters, digits, `_` and `-`, of at most 64 characters (Anthropic, Bedrock). */
export function plainId(id: string): string {
  if (id === "" || id.length > 64) return madeId(id);
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** An id of exactly nine letters and digits (Mistral). Ids that are so already stay the same. */
export function nineId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : hashText(id).slice(0, 9);
}

/** An id of at most 64 characters (OpenAI). */
export function shortId(id: string): string {
  return id.length <= 64 ? id : madeId(id);
}
