/** Streams of Responses upstreams whose events name items otherwise than the whole answer at the end. */

import { afterEach, expect, test } from "bun:test";
import type { Json, JsonObject } from "#base/json.ts";
import { openSseReader } from "#base/sse.ts";
import { textOf } from "#formats/shared/read-json.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const responsesOnly: Provider = {
  ...openai,
  formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
};

type Piece = Readonly<Record<string, Json>>;

/** Returns the message that a client of chat completions puts together of an upstream's events. */
async function ask(events: readonly Piece[]) {
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const upstream = await startUpstream((socket) => socket.end(streamHead + stream));
  const channel = testChannel({ baseUrl: upstream.url, provider: responsesOnly });
  const relay = openTestRelay({ channels: [channel] });
  stops.push(relay.stop, upstream.stop);
  const messages = [{ role: "user", content: "hi" }];
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", stream: true, messages }),
  });
  return assemble(await response.text());
}

type Delta = {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
};

function assemble(text: string) {
  let [content, reasoning] = ["", ""];
  const calls: { id: string; name: string; arguments: string }[] = [];
  const reader = openSseReader();
  for (const { data } of [...reader.push(Buffer.from(text)), ...reader.end()]) {
    if (data === "[DONE]") continue;
    // Safe cast: the relay wrote it.
    const { choices } = JSON.parse(data) as { choices: readonly { delta: Delta }[] };
    const { delta } = choices[0] ?? { delta: {} };
    content += delta.content ?? "";
    reasoning += delta.reasoning_content ?? "";
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const call = (calls[index] ??= { id: id ?? "", name: called.name ?? "", arguments: "" });
      call.arguments += called.arguments;
    }
  }
  return { content, reasoning, calls };
}

const args = '{"city":"Paris"}';
const call = (number: number, id = `fc_${number}`): JsonObject => ({
  id,
  type: "function_call",
  call_id: `call_${number}`,
  name: `weather_${number}`,
  arguments: args,
});
const message = (text: string, id: string): JsonObject => ({
  id,
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
const reasoning = (text: string, id: string): JsonObject => ({
  id,
  type: "reasoning",
  summary: [{ type: "summary_text", text }],
});

const created = {
  type: "response.created",
  response: { id: "resp_1", object: "response", model: "m", status: "in_progress", output: [] },
};
const completed = (...output: readonly JsonObject[]): Piece => ({
  type: "response.completed",
  response: {
    id: "resp_1",
    object: "response",
    model: "m",
    status: "completed",
    output,
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  },
});

const added = (output_index: number, item: JsonObject): Piece => ({
  type: "response.output_item.added",
  output_index,
  item: { ...item, arguments: "", content: [], summary: [] },
});
const ended = (output_index: number, item: JsonObject): Piece => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const delta = (type: string, output_index: number, item_id: string, text: string): Piece => ({
  type: `response.${type}.delta`,
  output_index,
  item_id,
  delta: text,
});

/** All events of a call. */
const streamedCall = (place: number, item: JsonObject): readonly Piece[] => [
  added(place, item),
  delta("function_call_arguments", place, textOf(item["id"]), args),
  ended(place, item),
];
const streamedText = (place: number, item: JsonObject, text: string): readonly Piece[] => [
  added(place, item),
  delta("output_text", place, textOf(item["id"]), text),
  ended(place, item),
];

const once = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ id: `call_${number}`, name: `weather_${number}`, arguments: args }));

test("tool calls and text come once where the stream numbers items otherwise than the list", async () => {
  const said = message("Let me look.", "msg_1");
  const answer = await ask([
    created,
    ...streamedText(1, said, "Let me look."),
    ...streamedCall(2, call(1)),
    ...streamedCall(4, call(2)),
    completed(said, call(1), call(2)),
  ]);
  expect(answer).toEqual({ content: "Let me look.", reasoning: "", calls: once(1, 2) });
});

test("items come once where the stream gives all of them one place", async () => {
  const thought = reasoning("Hm.", "rs_1");
  const said = message("Sunny.", "msg_1");
  const answer = await ask([
    created,
    added(0, thought),
    delta("reasoning_summary_text", 0, "rs_1", "Hm."),
    ended(0, thought),
    ...streamedText(0, said, "Sunny."),
    ...streamedCall(0, call(1)),
    completed(thought, said, call(1)),
  ]);
  expect(answer).toEqual({ content: "Sunny.", reasoning: "Hm.", calls: once(1) });
});

test("items come once where each event has another id and the places are right", async () => {
  const answer = await ask([
    created,
    added(0, message("", "a")),
    delta("output_text", 0, "b", "Sun"),
    delta("output_text", 0, "c", "ny."),
    ended(0, message("Sunny.", "d")),
    added(1, call(1, "e")),
    delta("function_call_arguments", 1, "f", args),
    ended(1, call(1, "g")),
    completed(message("Sunny.", "h"), call(1, "i")),
  ]);
  expect(answer).toEqual({ content: "Sunny.", reasoning: "", calls: once(1) });
});

test("items come once where the list of the end is shorter or in another order", async () => {
  const [first, second] = [message("One. ", "msg_1"), message("Two.", "msg_2")];
  const events = [
    created,
    ...streamedText(0, first, "One. "),
    ...streamedText(1, second, "Two."),
    ...streamedCall(2, call(1)),
  ];
  for (const list of [[call(1), second, first], [second], [call(1)], []]) {
    const answer = await ask([...events, completed(...list)]);
    expect(answer).toEqual({ content: "One. Two.", reasoning: "", calls: once(1) });
  }
});

test("what only the list of the end has comes as well", async () => {
  const said = message("One. ", "msg_1");
  const answer = await ask([
    created,
    ...streamedText(3, said, "One. "),
    completed(said, message("Two.", "msg_2"), call(1), call(2)),
  ]);
  expect(answer).toEqual({ content: "One. Two.", reasoning: "", calls: once(1, 2) });
});

test("arguments of calls that run side by side go to their own call", async () => {
  const args2 = '{"city":"Rome"}';
  const second = { ...call(2), arguments: args2 };
  const answer = await ask([
    created,
    added(0, call(1)),
    added(1, second),
    delta("function_call_arguments", 1, "fc_2", '{"city":'),
    delta("function_call_arguments", 0, "fc_1", '{"city":'),
    delta("function_call_arguments", 1, "fc_2", '"Rome"}'),
    ended(1, second),
    delta("function_call_arguments", 0, "fc_1", '"Paris"}'),
    ended(0, call(1)),
    completed(call(1), second),
  ]);
  expect(answer.calls).toEqual([...once(1), { id: "call_2", name: "weather_2", arguments: args2 }]);
});

test("a call that is only named in the stream gets its arguments from the list of the end", async () => {
  const answer = await ask([
    created,
    added(7, call(1)),
    added(8, call(2)),
    completed(call(1), call(2)),
  ]);
  expect(answer.calls).toEqual(once(1, 2));
});
