/**
 * Writes the cost of a call into the usage of its stream. Only for clients that ask for it, so it
 * parses the last events, which no other stream needs.
 */

import type { ToldCost } from "#formats/format.ts";
import { doneWord } from "#formats/openai-chat/wire.ts";
import { asObject, parseJson } from "#formats/shared/read-json.ts";

const lead = "data: ";

/**
 * @param tail the last events, which were held back until the call was charged. Where none of them
 *   has usage, an event with it is added before the end.
 */
export function addCost(tail: Uint8Array, told: ToldCost): Uint8Array {
  const events = Buffer.from(tail)
    .toString()
    .split(/\r?\n\r?\n/)
    .filter((event) => event !== "");
  const at = events.findLastIndex((event) => usageEvent(event) !== undefined);
  const found = usageEvent(events[at] ?? "");
  if (found !== undefined) {
    const usage = { ...found.usage, cost: told.cost };
    events[at] = lead + JSON.stringify({ ...found, usage });
  } else {
    const isOver = events.at(-1)?.startsWith(lead + doneWord) === true;
    events.splice(isOver ? -1 : events.length, 0, lead + JSON.stringify(ownEvent(told)));
  }
  return Buffer.from(events.map((event) => `${event}\n\n`).join(""));
}

/** Returns the event if it has usage; undefined: it has none, or is not a chunk of an answer. */
function usageEvent(event: string): { readonly usage: object } | undefined {
  if (!event.startsWith(lead)) return undefined;
  const chunk = asObject(parseJson(event.slice(lead.length)));
  const usage = asObject(chunk?.["usage"]);
  return usage === undefined ? undefined : { ...chunk, usage };
}

function ownEvent({ cost, model, inputTokens, outputTokens }: ToldCost): object {
  return {
    id: "",
    object: "chat.completion.chunk",
    created: 0,
    model,
    choices: [],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      cost,
    },
  };
}
