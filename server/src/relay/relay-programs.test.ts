/**
 * Responses of programs that the provider resumed. No model ran, so the zeros that are reported are
 * right; a model's answer with zeros is counted by the gateway.
 */

import { afterEach, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of Responses alone, so that chat completions are translated for it. */
const responsesOnly: Provider = {
  ...openai,
  formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
};

const program = { type: "program", caller_id: "call_p" };
const call = (caller: JsonObject | undefined) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "getDemand",
  arguments: '{"sku":"sku_123"}',
  ...(caller === undefined ? {} : { caller }),
});
const message = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "5" }],
};

const zeros = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

function response(output: readonly JsonObject[], usage: JsonObject = zeros) {
  const head = { id: "resp_1", object: "response", model: "m", tools: [{ caller: program }] };
  return { ...head, status: "completed", output, usage };
}

/** The events of a response's stream, with the arguments of its calls in an event of their own. */
function streamOf(output: readonly JsonObject[]): string {
  const items = output.flatMap((item, index) => [
    { type: "response.output_item.added", output_index: index, item: { ...item, arguments: "" } },
    {
      type: "response.function_call_arguments.delta",
      output_index: index,
      delta: item["arguments"] ?? "",
    },
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const events = [
    { type: "response.created", response: { ...response([]), status: "in_progress", usage: null } },
    ...items,
    { type: "response.completed", response: response(output) },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const asked = {
  "/v1/responses": { model: "m", input: "hi", max_output_tokens: 100 },
  "/v1/chat/completions": {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: "hi" }],
  },
} as const;

/** Makes a call whose upstream answers with this output. Returns its charge and how it was counted. */
async function charged(path: keyof typeof asked, stream: boolean, output: readonly JsonObject[]) {
  const upstream = await startUpstream((socket) =>
    socket.end(
      stream ? streamHead + streamOf(output) : jsonAnswer(JSON.stringify(response(output))),
    ),
  );
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider: responsesOnly })],
  });
  stops.push(relay.stop, upstream.stop);
  const sent = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...asked[path], stream }),
  });
  expect([sent.status, (await sent.text()).includes("sku_123")]).toEqual([200, true]);
  const [settled] = relay.money.settled;
  return { charge: settled?.charge, source: settled?.log.usageSource };
}

// Safe cast: these are the keys of the object.
for (const path of Object.keys(asked) as (keyof typeof asked)[]) {
  for (const stream of [false, true]) {
    const how = `${path}${stream ? ", streamed" : ""}`;

    test(`calls of a resumed program with a report of zeros cost nothing (${how})`, async () => {
      const output = [call(program), call(program)];
      expect(await charged(path, stream, output)).toEqual({ charge: 0, source: "upstream" });
    });

    test(`zeros are not believed when a model made any of the output (${how})`, async () => {
      for (const output of [
        [call(undefined)],
        [call({ type: "direct" })],
        [call(program), message],
        [message, call(program)],
        [call({ caller: program })],
      ]) {
        const { charge = 0, source } = await charged(path, stream, output);
        expect([charge > 0, source]).toEqual([true, "local"]);
      }
    });
  }
}
