/** What tools of one provider have found and done, for clients of another's format. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import {
  found,
  openai,
  claude,
  googleCode,
  responsesAnswer,
  messagesAnswer,
  geminiAnswer,
  blocksIn,
  itemsIn,
  asked,
} from "./testing/hosted-answers.ts";
import { ask, jsonOf, requests, responsesOnly } from "./testing/translated.ts";

const own = /^(?:srvtoolu|mcptoolu|ws|ci|mcp)_(?:tollgate_)?[A-Za-z0-9_-]+$/;

for (const isStream of [false, true]) {
  describe(isStream ? "in a stream" : "in a whole answer", () => {
    for (const what of ["search", "code", "mcp"] as const) {
      test(`${what} of OpenAI comes to a client of Messages as a tool that the server used`, async () => {
        const answer = responsesAnswer(openai[what], isStream);
        const { status, text } = await asked([responsesOnly, answer], "/v1/messages", isStream);
        const blocks = blocksIn(text, isStream);

        expect(status).toBe(200);
        const [use, result] = claude[what];
        const { id: _, ...useFields } = use;
        const { tool_use_id: __, ...resultFields } = result;
        const sources = [{ type: "web_search_result", url: found.url }];
        expect(blocks).toMatchObject([
          { type: "redacted_thinking" },
          useFields,
          what === "search" ? { ...resultFields, content: sources } : resultFields,
          { type: "text", text: "Sunny." },
        ]);
        expect(textOf(blocks[1]?.["id"])).toMatch(own);
        expect(blocks[2]?.["tool_use_id"]).toBe(blocks[1]?.["id"] ?? "");
      });

      test(`${what} of Anthropic comes to a client of Responses as a call of its own`, async () => {
        const answer = messagesAnswer(claude[what], isStream);
        const { status, text } = await asked([anthropic, answer], "/v1/responses", isStream);
        const items = itemsIn(text, isStream);

        expect(status).toBe(200);
        const { id: _, ...fields } = openai[what];
        const wanted = what === "code" ? { ...fields, container_id: "" } : fields;
        expect(items).toMatchObject([
          { type: "reasoning" },
          { type: "reasoning" },
          wanted,
          { type: "message" },
        ]);
        expect(textOf(items[2]?.["id"])).toMatch(own);
      });
    }

    test("code that Google ran comes to clients of Messages and Responses", async () => {
      const upstream = [gemini, geminiAnswer(googleCode, isStream)] as const;
      const messages = await asked(upstream, "/v1/messages", isStream);
      const [use, result] = claude.code;
      expect(blocksIn(messages.text, isStream)).toMatchObject([
        { type: "redacted_thinking" },
        { type: "redacted_thinking" },
        { type: "server_tool_use", input: use.input },
        { type: "code_execution_tool_result", content: result.content },
        { type: "text", text: "Sunny." },
      ]);
      const responses = await asked(upstream, "/v1/responses", isStream);
      expect(itemsIn(responses.text, isStream)[2]).toMatchObject({
        type: "code_interpreter_call",
        code: "print(4)",
        outputs: [{ type: "logs", logs: "4\n" }],
      });
    });

    test("code that OpenAI or Anthropic ran comes to a client of Google's format", async () => {
      for (const upstream of [
        [responsesOnly, responsesAnswer(openai.code, isStream)],
        [anthropic, messagesAnswer(claude.code, isStream)],
      ] as const) {
        const [provider, answer] = upstream;
        const how = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
        const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
        const { text } = await ask(provider, () => answer, `/v1beta/models/m:${how}`, body);
        for (const part of googleCode) {
          expect(text).toContain(JSON.stringify(part).slice(1, -1));
        }
      }
    });
  });
}

test("what failed is told as failed", async () => {
  const failed = { ...openai.mcp, output: null, error: "no such page", status: "failed" };
  const there = await asked([responsesOnly, responsesAnswer(failed, false)], "/v1/messages", false);
  expect(blocksIn(there.text, false)[2]).toMatchObject({
    type: "mcp_tool_result",
    is_error: true,
    content: [{ type: "text", text: "no such page" }],
  });
  const [use] = claude.search;
  const error = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
  const result = { type: "web_search_tool_result", tool_use_id: use.id, content: error };
  const answer = messagesAnswer([use, result], false);
  const back = await asked([anthropic, answer], "/v1/responses", false);
  expect(itemsIn(back.text, false)[2]).toMatchObject({ type: "web_search_call", status: "failed" });
});

test("in the next turn the provider gets what it sent itself, and nothing of the copy", async () => {
  const first = await asked(
    [responsesOnly, responsesAnswer(openai.search, false)],
    "/v1/messages",
    false,
  );
  const user = { role: "user", content: "hi" };
  const messages = [user, { role: "assistant", content: blocksIn(first.text, false) }, user];
  const answer = responsesAnswer(openai.search, false);
  const next = await asked([responsesOnly, answer], "/v1/messages", false, { messages });
  expect(next.sent).toContain(JSON.stringify(openai.search));
  expect(next.sent.match(/web_search_call/g)).toHaveLength(1);
  expect(next.sent).not.toMatch(/tollgate/i);
  const elsewhere = await asked([anthropic, messagesAnswer([], false)], "/v1/messages", false, {
    messages,
  });
  expect(elsewhere.status).toBe(200);
  expect(elsewhere.sent).not.toMatch(/server_tool_use|tollgate/i);

  const there = await asked(
    [anthropic, messagesAnswer(claude.search, false)],
    "/v1/responses",
    false,
  );
  const item = { role: "user", content: "hi" };
  const input = [item, ...itemsIn(there.text, false), item];
  const again = await asked([anthropic, messagesAnswer([], false)], "/v1/responses", false, {
    input,
  });
  for (const block of claude.search) expect(again.sent).toContain(JSON.stringify(block));
  expect(again.sent).not.toMatch(/web_search_call|tollgate/i);
  expect(again.losses).toBe("");
});

test("the sources of a search and the output of code are asked for, since OpenAI leaves them out", async () => {
  const answer = responsesAnswer(openai.search, false);
  const tools = [
    { type: "web_search_20250305", name: "web_search" },
    { type: "code_execution_20250825", name: "code_execution" },
  ];
  const { sent } = await asked([responsesOnly, answer], "/v1/messages", false, { tools });
  expect(JSON.parse(sent)).toMatchObject({
    include: ["web_search_call.action.sources", "code_interpreter_call.outputs"],
  });
});

test("what the model wrote for a tool of its provider is output: a count that contains it is believed", async () => {
  const code = "x = 1\n".repeat(2_000);
  const [use, result] = claude.code;
  const content = [{ ...use, input: { code } }, result, { type: "text", text: "Done." }];
  const message = { id: "m", type: "message", role: "assistant", model: "m" };
  const usage = { input_tokens: 90_000, output_tokens: 9_000 };
  const whole = jsonOf({ ...message, content, stop_reason: "end_turn", usage });
  for (const path of ["/v1/responses", "/v1/chat/completions"] as const) {
    const { text, relay } = await ask(anthropic, () => whole, path, requests[path]({}));
    expect(text).toMatch(/"(?:completion|output)_tokens":9000/);
    expect(relay.money.settled).toMatchObject([{ log: { usage: { output: 9_000 } } }]);
  }
});

test("a client of Messages may send instructions alone, as the other formats' clients may", async () => {
  const system = "Tell a joke.";
  const answer = responsesAnswer(openai.search, false);
  const given = requests["/v1/messages"]({ system, messages: undefined });
  const { status, sent } = await ask(responsesOnly, () => answer, "/v1/messages", given);
  expect([status, sent.includes(system)]).toEqual([200, true]);
  const none = requests["/v1/messages"]({ messages: undefined });
  const refused = await ask(responsesOnly, () => answer, "/v1/messages", none);
  expect([refused.status, refused.text.includes("field messages is required")]).toEqual([
    400,
    true,
  ]);
});

test("code that comes back in Google's words goes to its provider in its own words alone", async () => {
  const user = { role: "user", parts: [{ text: "hi" }] };
  const path = "/v1beta/models/m:generateContent";
  const answer = responsesAnswer(openai.code, false);
  const first = await ask(responsesOnly, () => answer, path, { contents: [user] });
  // Safe cast: the relay wrote it.
  const [candidate] = listOf((JSON.parse(first.text) as JsonObject)["candidates"]);
  const contents = [user, objectOf(objectOf(candidate)["content"]), user];
  const next = await ask(responsesOnly, () => answer, path, { contents });
  expect(next.sent.match(/code_interpreter_call/g)).toHaveLength(1);
  expect([next.losses, next.sent.includes("executableCode")]).toEqual(["", false]);
});
