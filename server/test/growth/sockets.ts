/** What WebSockets for responses do with what clients and upstreams send. */

import { openByteBudget } from "#base/memory/byte-budget.ts";
import { Conversations, itemsAfter } from "#relay/responses-socket/conversations.ts";
import { bodyAfter, itemsWith, ownItems } from "#relay/responses-socket/items.ts";
import { readAsked } from "#relay/responses-socket/messages.ts";
import { SocketTurn } from "#relay/responses-socket/turn.ts";
import type { Family } from "./measure.ts";

export const socketMessage = {
  type: "response.create",
  model: "m",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "a" }] }],
  tools: [{ type: "function", name: "t", parameters: { type: "object" } }],
};

export const socketEvent = {
  type: "response.completed",
  response: {
    id: "resp_1",
    output: [
      { type: "message", id: "msg_1", content: [{ type: "output_text", text: "a" }] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "a" }] },
    ],
  },
  error: { code: "a", message: "b" },
};

/** Reads a message of a client, and makes the body of its call. */
export function readSocketMessage(body: Buffer): unknown {
  const asked = readAsked(body, true);
  if (asked.kind !== "create") return asked;
  return bodyAfter(asked.create, null, ownItems(asked.create.input));
}

/** Passes an event on, and makes the items that it leaves. */
export function passSocketEvent(body: Buffer): unknown {
  const left: unknown[] = [];
  const turn = new SocketTurn({
    lane: "a",
    host: "",
    peer: "",
    headers: { get: () => null },
    body: Buffer.alloc(0),
    broken: () => ({ status: 502, body: "{}" }),
    send: (message) => void left.push(message.length),
    isFull: () => false,
    onEnd: (said) => said && void left.push(itemsWith(new Uint8Array(), said.event, said.output)),
  });
  const sink = turn.stream({ status: 200 });
  sink?.write(Buffer.from(`data: ${body.toString()}\n\n`));
  sink?.end();
  return left;
}

const item = Buffer.from('{"type":"message","role":"user","content":"a"}');

/** Conversations of so many responses, each of one item. */
export const longConversations: readonly Family[] = [
  {
    name: "a conversation of many turns",
    make: (bytes) => () => {
      const memory = { budget: openByteBudget(1024 ** 3), owner: 1 };
      const all = new Conversations(memory, { bytes: 0 }, 1024 ** 3);
      let before = null;
      for (let turn = 0; turn < bytes / item.length; turn += 1) {
        all.keep(`resp_${turn}`, before, item);
        all.letGo(before);
        before = all.take(`resp_${turn}`);
      }
      itemsAfter(before, item);
      all.letGo(before);
      all.free();
    },
  },
];
