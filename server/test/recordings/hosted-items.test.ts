/**
 * Items that only one format has, such as a search that the provider ran: clients of other formats
 * send them back, and the provider gets them as it made them. Nobody else gets them.
 */

import { expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import { play } from "#formats/testing/play.ts";
import { translations } from "#formats/translation-registry.ts";
import { playedRecordings, upstreamOf, translatedClientIds } from "./played.ts";
import { asked, nextRequest, streamedAnswer } from "./next-turn.ts";

const encrypted = `EqoBCioIDRgCIiQ3${"0a1b+/".repeat(20)}==`;

/** Answers with items of a tool that the provider ran, and these items as they must come back. */
const answers = {
  "anthropic-messages": {
    model: "claude-sonnet-4-5",
    items: [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "sun" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", url: "https://a", encrypted_content: encrypted }],
      },
    ],
  },
  "bedrock-converse": {
    model: "amazon.nova-2-lite-v1:0",
    items: [
      {
        toolUse: {
          type: "server_tool_use",
          toolUseId: "t1",
          name: "nova_code_interpreter",
          input: { snippet: "1+1" },
        },
      },
    ],
  },
  "gemini-generate": {
    model: "gemini-3-pro",
    items: [{ executableCode: { language: "PYTHON", code: "print(1)" } }],
  },
  "openai-responses": {
    model: "gpt-4.1",
    items: [
      { type: "compaction", id: "cmp_1", encrypted_content: encrypted },
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "sun" },
      },
    ],
  },
} as const;

type Issuer = keyof typeof answers;
// Safe cast: these are the keys of the object.
const issuers = Object.keys(answers) as Issuer[];

function answerOf(issuer: Issuer): JsonObject {
  const items: readonly JsonObject[] = JSON.parse(JSON.stringify(answers[issuer].items));
  switch (issuer) {
    case "anthropic-messages":
      return {
        type: "message",
        content: [...items, { type: "text", text: "sun" }],
        stop_reason: "end_turn",
      };
    case "bedrock-converse":
      return {
        output: { message: { role: "assistant", content: [...items, { text: "sun" }] } },
        stopReason: "end_turn",
      };
    case "gemini-generate":
      return {
        candidates: [
          { index: 0, finishReason: "STOP", content: { parts: [...items, { text: "sun" }] } },
        ],
      };
    case "openai-responses":
      return {
        object: "response",
        status: "completed",
        output: [
          ...items,
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "sun" }] },
        ],
      };
  }
}

/** What an upstream gets of the client's next request. */
function secondTurn(issuer: Issuer, client: (typeof translatedClientIds)[number], to: Issuer) {
  const events = translations[issuer].upstream.readAnswer(answerOf(issuer), "seed");
  const shown = translations[client].client.writeAnswer(foldAnswer(events), asked);
  const streamed = streamedAnswer(client, events);
  const sent = [shown, streamed].map((answer) =>
    nextRequest({ client, answer, upstream: to, model: answers[to].model }),
  );
  return sent;
}

for (const issuer of issuers) {
  for (const client of translatedClientIds.filter((each) => each !== issuer)) {
    test(`a client of ${client} brings the items of tools that ${issuer} ran back to it`, () => {
      for (const { body } of secondTurn(issuer, client, issuer)) {
        for (const item of answers[issuer].items) {
          expect(JSON.stringify(body)).toContain(JSON.stringify(item));
        }
      }
    });

    test(`a client of ${client} gives the items of ${issuer} to nobody else`, () => {
      for (const other of issuers.filter((each) => each !== issuer)) {
        for (const { body, losses } of secondTurn(issuer, client, other)) {
          const text = JSON.stringify(body);
          expect(text).toContain("sun");
          expect(text).not.toMatch(/server_tool_use|executableCode|compaction|Tollgate|EqoBCioI/);
          expect(losses).not.toEqual([]);
        }
      }
    });
  }
}

test("Claude behind Bedrock, which knows no hosted tools, gets none of their items", () => {
  const events = translations["anthropic-messages"].upstream.readAnswer(
    answerOf("anthropic-messages"),
    "seed",
  );
  const answer = translations["openai-chat"].client.writeAnswer(foldAnswer(events), asked);
  const { body, losses } = nextRequest({
    client: "openai-chat",
    answer,
    upstream: "bedrock-invoke",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
  });

  expect(JSON.stringify(body)).not.toContain("server_tool_use");
  expect(losses).toContain("hosted tools of earlier turns");
});

test("the input of a search comes back whole, though it is streamed in pieces", () => {
  const id = "anthropic/messages.s.pyai.anthropic-model-web-search-tool-stream";
  const { recording } = playedRecordings().find((each) => each.recording.id === id) ?? {};
  if (recording === undefined) throw new Error("the recording is missing");
  const events = play(recording, upstreamOf("anthropic-messages"), 37);
  const answer = streamedAnswer("openai-chat", events);
  const { body } = nextRequest({
    client: "openai-chat",
    answer,
    upstream: "anthropic-messages",
    model: "claude-sonnet-4-5",
  });

  expect(JSON.stringify(body)).toMatch(/"name":"web_search","input":\{"query":"[^"]+"\}/);
});
