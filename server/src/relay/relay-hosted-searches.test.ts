/** Searches that Google ran, which it tells of beside its text, and those of others for its clients. */

import { describe, expect, test } from "bun:test";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import type { Provider } from "#providers/provider.ts";
import {
  found,
  hits,
  openai,
  sunny,
  responsesAnswer,
  messagesAnswer,
  blocksIn,
  itemsIn,
  asked,
} from "./testing/hosted-answers.ts";
import { ask, eventsOf, jsonOf, responsesOnly } from "./testing/translated.ts";

describe("a search that Google ran", () => {
  const grounding = {
    webSearchQueries: ["weather"],
    groundingChunks: [{ web: { uri: found.url, title: found.title } }],
  };
  const candidate = { content: { role: "model", parts: [{ text: "Sunny." }] } };
  const body = {
    candidates: [{ ...candidate, finishReason: "STOP", groundingMetadata: grounding }],
  };

  for (const isStream of [false, true]) {
    const how = isStream ? "a stream" : "a whole answer";
    const answer = isStream ? eventsOf(body) : jsonOf(body);
    test(`comes to clients of Messages and Responses in ${how}`, async () => {
      const messages = await asked([gemini, answer], "/v1/messages", isStream);
      const blocks = blocksIn(messages.text, isStream);
      expect(blocks).toMatchObject([
        { type: "text", text: "Sunny." },
        { type: "server_tool_use", name: "web_search", input: { query: "weather" } },
        { type: "web_search_tool_result", content: [{ type: "web_search_result", ...found }] },
      ]);
      const responses = await asked([gemini, answer], "/v1/responses", isStream);
      const items = itemsIn(responses.text, isStream);
      expect(items).toMatchObject([
        { type: "message" },
        { type: "web_search_call", action: { query: "weather", sources: hits } },
      ]);

      // Whoever answers next, the copies stay behind, also at those who have such items themselves.
      const user = { role: "user", content: "hi" };
      const next = [user, { role: "assistant", content: blocks }, user];
      for (const provider of [gemini, anthropic]) {
        const given = { messages: next };
        const asking = [provider, provider === gemini ? jsonOf(body) : messagesAnswer([], false)];
        // Safe cast: a provider and its answer.
        const again = await asked(asking as [Provider, string], "/v1/messages", false, given);
        expect(again.sent).toContain("Sunny.");
        expect(again.sent).not.toMatch(/web_search|tollgate/i);
      }
      const input = [user, ...items, user];
      const there = [responsesOnly, responsesAnswer(sunny, false)] as const;
      const last = await asked(there, "/v1/responses", false, { input });
      expect(last.sent).toContain("Sunny.");
      expect(last.sent).not.toMatch(/web_search|tollgate/i);
    });

    test(`of OpenAI comes to a client of Google's format in ${how}`, async () => {
      const path = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
      const given = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
      const there = responsesAnswer(openai.search, isStream);
      const { text } = await ask(responsesOnly, () => there, `/v1beta/models/m:${path}`, given);
      expect(text).toContain('"webSearchQueries":["weather"]');
    });
  }
});
