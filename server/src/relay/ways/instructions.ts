/** The text that a channel puts in front of a conversation's own instructions. */

import type { JsonObject } from "#base/json.ts";
import type { ClientFormat, RequestBody } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import type { WayFacts } from "./way.ts";

type Instructing = Pick<WayFacts, "channel" | "formatId">;

/**
 * Returns the channel's text for the model in front of such a call's own instructions; empty: there
 * is none.
 */
export function instructionsOf(
  { channel, formatId }: Instructing,
  { modality }: Pick<RequestBody, "modality">,
): string {
  const { client }: { readonly client: ClientFormat } = formats[formatId];
  return modality === "chat" && client.addInstructions !== undefined ? channel.systemPrompt : "";
}

/** Whether the channel has such a text for the call. */
export function isInstructed(way: Instructing, body: RequestBody): boolean {
  return instructionsOf(way, body) !== "";
}

/** Puts the channel's text in front of the instructions in a request in the client's format. */
export function withInstructions({ channel, formatId }: Instructing, body: JsonObject): JsonObject {
  const { client }: { readonly client: ClientFormat } = formats[formatId];
  return client.addInstructions?.(body, channel.systemPrompt) ?? body;
}
