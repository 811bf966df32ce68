/**
 * Moves reasoning into the text of an answer, between the lines `<think>` and `</think>`, for clients
 * that do not read `reasoning_content`.
 */

import type { CanonicalEvent, OutputItem } from "#canonical/event.ts";
import { textPart } from "#canonical/request.ts";
import type { ClientTranslation } from "#formats/translation.ts";

const opening = "<think>\n";
const closing = "\n</think>\n";

/** Returns the client's half of a format, which writes reasoning as text. */
export function withThinkingInText(client: ClientTranslation): ClientTranslation {
  return {
    carries: client.carries,
    parseRequest: client.parseRequest,
    openStreamWriter(asked) {
      const writer = client.openStreamWriter(asked);
      const move = openMover();
      return {
        write: (event) => move(event).map(writer.write).join(""),
        fail: writer.fail,
      };
    },
    writeAnswer: (answer, asked) =>
      client.writeAnswer({ ...answer, items: answer.items.flatMap(moveItem) }, asked),
  };
}

function openMover(): (event: CanonicalEvent) => readonly CanonicalEvent[] {
  let isOpen = false;
  return (event) => {
    if (event.type === "item-start") return event.item.type === "reasoning" ? [] : [event];
    if (event.type === "reasoning") {
      const text = isOpen ? event.text : opening + event.text;
      isOpen = true;
      return [{ type: "text", slot: event.slot, text }];
    }
    if (event.type !== "item-end" || event.item.type !== "reasoning") return [event];
    if (!isOpen) return [];
    isOpen = false;
    return [{ type: "text", slot: event.slot, text: closing }];
  };
}

/** Reasoning without a text, which is encrypted or withheld, is left out. */
function moveItem(item: OutputItem): readonly OutputItem[] {
  if (item.type !== "reasoning") return [item];
  if (item.text === "") return [];
  const part = textPart(opening + item.text + closing);
  return [{ type: "message", role: "assistant", parts: [part] }];
}
