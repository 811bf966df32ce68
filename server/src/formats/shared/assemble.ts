/** Puts a stream together, as a person reads it. */

import { openSseReader } from "#base/sse.ts";
import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent, OutputItem } from "#canonical/event.ts";
import type { JsonObject } from "#base/json.ts";
import type { UpstreamTranslation } from "#formats/translation.ts";
import { openItem } from "./opaque-item.ts";

/**
 * Returns the text of a stream, and with tool calls or reasoning the JSON of its items. Bytes that
 * are not a stream are returned as the text that they are.
 */
export function assembleStream(
  upstream: Pick<UpstreamTranslation, "openReader">,
  bytes: Uint8Array,
): string {
  const events: CanonicalEvent[] = [];
  let isStream = false;
  try {
    const reader = upstream.openReader("");
    const frames = openSseReader();
    for (const { event, data } of [...frames.push(bytes), ...frames.end()]) {
      isStream = true;
      events.push(...reader.read(event, data));
    }
    events.push(...reader.end());
  } catch {
    // A frame is too long to be read; what came before it is shown.
  }
  if (!isStream) return new TextDecoder().decode(bytes);
  const { items, fault } = foldAnswer(events);
  const texts = items.map((item) => {
    const [part] = item.type === "message" && item.parts.length === 1 ? item.parts : [];
    return part?.type === "text" ? part.text : null;
  });
  if (fault === null && texts.every((text) => text !== null)) return texts.join("");
  return JSON.stringify({
    items: items.map(asSent),
    ...(fault === null ? {} : { error: fault.message }),
  });
}

/** Shows an item that only its format has as the provider sent it. */
function asSent(item: OutputItem): JsonObject | OutputItem {
  const isOwn = item.type === "reasoning" && item.opaque?.kind === "item";
  return isOwn ? (openItem(item.opaque.value) ?? item) : item;
}
