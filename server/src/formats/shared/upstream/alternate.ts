import type { JsonObject } from "#base/json.ts";
import type { Item, MessageItem } from "#canonical/request.ts";
import { isOfModel } from "#formats/shared/pair-tools.ts";

/** A message of a format in which the roles alternate. */
type Alternating = {
  readonly role: "assistant" | "user";
  readonly content: JsonObject[];
};

/** Splits a conversation into the system prompt at its beginning and what follows. */
export function splitSystem(items: readonly Item[]): {
  readonly system: readonly MessageItem[];
  readonly spoken: readonly Item[];
} {
  const first = items.findIndex((item) => item.type !== "message" || item.role !== "system");
  const at = first < 0 ? items.length : first;
  const system = items.slice(0, at).filter((item) => item.type === "message");
  return { system, spoken: items.slice(at) };
}

/** Writes items as messages whose roles alternate. Items without content are left out. */
export function alternate(
  items: readonly Item[],
  write: (item: Item) => readonly JsonObject[],
): Alternating[] {
  const messages: Alternating[] = [];
  for (const item of items) {
    const role = isOfModel(item) ? "assistant" : "user";
    const content = write(item);
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  }
  return messages;
}
