/** The items of conversations over a WebSocket, as the format reads and joins them. */

import type { Json, JsonObject } from "#base/json.ts";
import type { KeptReader } from "#formats/later-turns.ts";
import { itemsAfter, joinItems, type Kept } from "./conversations.ts";
import type { Create } from "./messages.ts";

const encoder = new TextEncoder();

/** Returns the items that a request adds, as JSON separated by commas. */
export function ownItems({ join }: KeptReader, { input = [] }: JsonObject): Uint8Array {
  return written(join({ input }, { input: [], answer: { output: [] } })["input"]);
}

/** Returns the items of a request, and those that its response has added. */
export function saidItems({ join }: KeptReader, own: Uint8Array, response: JsonObject): Uint8Array {
  const said = join({ input: [] }, { input: [], answer: response })["input"];
  return joinItems([own, written(said)]);
}

function written(items: Json | undefined): Uint8Array {
  return encoder.encode(JSON.stringify(items ?? []).slice(1, -1));
}

type After = {
  /** The response that it continues; null: none, or none that the WebSocket has seen. */
  readonly before: Kept | null;
  readonly items: Uint8Array;
  /** The field that names a response which the WebSocket has not seen. */
  readonly field: string;
};

/** Makes the body of a call, with the conversation that it continues. */
export function bodyAfter({ body, previousId }: Create, { before, items, field }: After): Buffer {
  if (before === null) {
    const named = previousId === "" ? body : { ...body, [field]: previousId };
    return Buffer.from(JSON.stringify(named));
  }
  const { input: _, ...rest } = body;
  const start = JSON.stringify(rest).slice(0, -1);
  return Buffer.concat([
    Buffer.from(`${start},"input":[`),
    itemsAfter(before, items),
    Buffer.from("]}"),
  ]);
}
