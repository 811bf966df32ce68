/** For upstreams to which a conversation is nothing but texts that alternate. */

import type { CanonicalRequest, Item } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { alternate } from "./alternate.ts";
import { refuseMedia } from "./media-limits.ts";
import { refuseMediaOutput, refuseSeveral, unsupported } from "./refuse.ts";
import { partsText } from "./turns.ts";

/**
 * Refuses what texts cannot say. Undefined: they can say all of it.
 *
 * @param advice what to do if the call has tools.
 */
export function refuseBeyondText(
  request: CanonicalRequest,
  advice: string,
): BodyRefusal | undefined {
  const refused =
    refuseSeveral(request) ??
    refuseMediaOutput(request) ??
    refuseMedia(request, { kinds: [], urls: false });
  if (refused !== undefined) return refused;
  if (request.tools.some(({ type }) => type !== "hosted")) {
    return unsupported("tools", `the upstream calls no tools; ${advice}`);
  }
  return undefined;
}

type TextTurn = { readonly role: "assistant" | "user"; readonly content: string };

/**
 * Writes a conversation as texts whose roles alternate.
 *
 * @param tell returns the text of an item; empty: the item is left out.
 */
export function textTurns(
  items: readonly Item[],
  tell: (item: Item) => string = messageText,
): readonly TextTurn[] {
  const messages = alternate(items, (item) => {
    const text = tell(item);
    return text === "" && item.type !== "message" ? [] : [{ text }];
  });
  return messages.map(({ role, content }) => ({
    role,
    content: content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n"),
  }));
}

function messageText(item: Item): string {
  return item.type === "message" ? partsText(item.parts) : "";
}
