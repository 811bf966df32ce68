/** Searches for tools that clients run themselves, as agents do that have very many. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { listOf, objectOf } from "#formats/shared/read-json.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { ask, chatOnly, chatText, eventsOf, jsonOf, requests } from "./testing/translated.ts";

const parameters = { type: "object", properties: { query: { type: "string" } } };
const search = {
  type: "tool_search",
  execution: "client",
  description: "Finds tools",
  parameters,
};
const user = { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] };
const args = { query: "calendar" };
const call = {
  type: "tool_search_call",
  call_id: "call_1",
  execution: "client",
  status: "completed",
  arguments: args,
};

const called = { name: "tool_search", arguments: JSON.stringify(args) };
const tool_calls = [{ index: 0, id: "call_1", type: "function", function: called }];

/** Answers that call the search, whole and streamed. */
const upstreams = [
  [
    chatOnly,
    jsonOf({
      id: "c",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, tool_calls },
          finish_reason: "tool_calls",
        },
      ],
    }),
    eventsOf(
      { id: "c", choices: [{ index: 0, delta: { role: "assistant", tool_calls } }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ),
  ],
  [
    anthropic,
    jsonOf({
      id: "m",
      type: "message",
      content: [{ type: "tool_use", id: "call_1", name: "tool_search", input: args }],
      stop_reason: "tool_use",
    }),
    eventsOf(
      { type: "message_start", message: { id: "m", type: "message", content: [] } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "call_1", name: "tool_search", input: {} },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ),
  ],
] as const;

for (const [provider, whole, streamed] of upstreams) {
  describe(`with an upstream of ${provider.id}`, () => {
    for (const isStream of [false, true]) {
      test(`a client's search for tools is called as such, ${isStream ? "streamed" : "whole"}`, async () => {
        const body = { ...requests["/v1/responses"]({ stream: isStream, tools: [search] }) };
        const answer = isStream ? streamed : whole;
        const { sent, losses, text } = await ask(provider, () => answer, "/v1/responses", body);

        expect(sent).toContain('"name":"tool_search"');
        expect(sent).toContain("Finds tools");
        expect(losses).toBe("");
        if (!isStream) {
          // Safe cast: the relay wrote it.
          const { output } = JSON.parse(text) as JsonObject;
          expect(listOf(output)).toMatchObject([call]);
          return;
        }
        const events = text
          .split("\n")
          .filter((line) => line.startsWith("data: {"))
          .map((line) => objectOf(JSON.parse(line.slice(6)) as JsonObject));
        const end = objectOf(events.at(-1)?.["response"]);
        expect(listOf(end["output"])).toMatchObject([call]);
        expect(events.find(({ type }) => type === "response.output_item.done")).toMatchObject({
          item: call,
        });
        expect(text).not.toContain("function_call");
      });
    }

    test("its result names what it found, and the tools can be called from then on", async () => {
      const lookup = { type: "function", name: "lookup", parameters, defer_loading: true };
      const found = [{ type: "namespace", name: "calendar", tools: [lookup] }];
      const output = {
        type: "tool_search_output",
        call_id: "call_1",
        execution: "client",
        tools: found,
      };
      const body = { model: "m", tools: [search], input: [user, call, output] };
      const { sent, losses } = await ask(provider, () => whole, "/v1/responses", body);

      expect(losses).toBe("");
      expect(sent.match(/call_1/g)).toHaveLength(2);
      expect(sent).toContain('"name":"calendar__lookup"');
      expect(sent).toContain(JSON.stringify('{"tools":["calendar__lookup"]}'));
    });
  });
}

test("a search that OpenAI would run is named as lost, since all tools are sent", async () => {
  const lookup = { type: "function", name: "lookup", parameters, defer_loading: true };
  const body = requests["/v1/responses"]({ tools: [{ type: "tool_search" }, lookup] });
  const { sent, losses } = await ask(chatOnly, () => chatText("ok"), "/v1/responses", body);
  expect(sent).toContain('"name":"lookup"');
  expect([losses, sent.includes("tool_search")]).toEqual(["tools.tool_search", false]);
});

test("what a search of a client of Messages has found reaches the model", async () => {
  const content = [{ type: "tool_reference", tool_name: "mcp__calendar__list" }];
  const messages = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: args }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
  ];
  const body = requests["/v1/messages"]({ messages });
  const { sent, losses } = await ask(chatOnly, () => chatText("ok"), "/v1/messages", body);
  expect(sent).toContain("mcp__calendar__list");
  expect(losses).toBe("");
  const google = jsonOf({ candidates: [{ content: { parts: [{ text: "ok" }] } }] });
  const there = await ask(gemini, () => google, "/v1/messages", body);
  expect(there.sent).toContain("mcp__calendar__list");
});
