/** Probabilities of tokens come back in the client's format, or are named as lost. */

import { expect, test } from "bun:test";
import { ali } from "#providers/ali.ts";
import { anthropic } from "#providers/anthropic.ts";
import { cohere } from "#providers/cohere.ts";
import { gemini } from "#providers/gemini.ts";
import type { Provider } from "#providers/provider.ts";
import { ask, chatOnly, eventsOf, jsonOf, responsesOnly } from "./testing/translated.ts";

const token = { token: "Hi", logprob: -0.25, bytes: null };
const content = [{ ...token, top_logprobs: [token, { ...token, token: "Ho", logprob: -3.5 }] }];
const text = [{ type: "output_text", text: "Hi", annotations: [], logprobs: content }];
const message = { id: "msg_1", type: "message", role: "assistant", content: text };
const response = { id: "resp_1", object: "response", model: "m", status: "completed" };
const place = { output_index: 0, content_index: 0, item_id: "msg_1" };
const chosen = { token: "Hi", logProbability: -0.25 };
const other = { token: "Ho", logProbability: -3.5 };
const candidate = {
  index: 0,
  content: { role: "model", parts: [{ text: "Hi" }] },
  finishReason: "STOP",
  logprobsResult: {
    chosenCandidates: [chosen],
    topCandidates: [{ candidates: [chosen, other] }],
  },
};
const choice = { index: 0, logprobs: { content }, finish_reason: "stop" };

const answers: readonly (readonly [string, Provider, object, readonly object[]])[] = [
  [
    "chat",
    chatOnly,
    { id: "c", model: "m", choices: [{ ...choice, message: { content: "Hi" } }] },
    [{ id: "c", model: "m", choices: [{ ...choice, delta: { content: "Hi" } }] }],
  ],
  [
    "responses",
    responsesOnly,
    { ...response, output: [message] },
    [
      { type: "response.output_text.delta", ...place, delta: "Hi", logprobs: content },
      { type: "response.completed", response: { ...response, output: [message] } },
    ],
  ],
  ["gemini", gemini, { candidates: [candidate] }, [{ candidates: [candidate] }]],
  [
    "dashscope",
    { ...ali, formats: { dashscope: { paths: { chat: "/chat" } } } } as unknown as Provider,
    { output: { choices: [{ ...choice, message: { content: "Hi" } }] }, request_id: "r" },
    [{ output: { choices: [{ ...choice, message: { content: "Hi" } }] }, request_id: "r" }],
  ],
];

/** What clients ask in, and how they read the probability of the token and of another. */
const clients = [
  [
    "chat",
    () => "/v1/chat/completions",
    (stream: boolean) => ({
      model: "m",
      stream,
      logprobs: true,
      top_logprobs: 2,
      messages: [{ role: "user", content: "hi" }],
    }),
  ],
  [
    "responses",
    () => "/v1/responses",
    (stream: boolean) => ({
      model: "m",
      stream,
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
      input: "hi",
    }),
  ],
  [
    "gemini",
    (stream: boolean) =>
      stream
        ? "/v1beta/models/m:streamGenerateContent?alt=sse"
        : "/v1beta/models/m:generateContent",
    () => ({
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      generationConfig: { responseLogprobs: true, logprobs: 2 },
    }),
  ],
] as const;

for (const [upstream, provider, whole, events] of answers) {
  for (const [client, pathOf, bodyOf] of clients) {
    if (client === upstream) continue;
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "whole";
      test(`a client of ${client} gets the probabilities of a ${how} ${upstream} answer`, async () => {
        const answer = stream ? eventsOf(...events) : jsonOf(whole);
        const asked = await ask(provider, () => answer, pathOf(stream), bodyOf(stream));

        expect([asked.status, asked.losses]).toEqual([200, ""]);
        expect(asked.text).toMatch(/"token":"Hi","logprob(ability)?":-0.25/i);
        expect(asked.text).toMatch(/"token":"Ho","logprob(ability)?":-3.5/i);
      });
    }
  }
}

test("upstreams without probabilities are asked for none, and the loss is named", async () => {
  const [[, , bodyOf]] = clients;
  const said = [{ type: "text", text: "ok" }];
  const answered = [
    [anthropic, { id: "m", type: "message", content: said, stop_reason: "end_turn" }],
    [cohere, { id: "c", message: { content: said }, finish_reason: "COMPLETE" }],
  ] as const;
  for (const [provider, answer] of answered) {
    const body = bodyOf(false);
    const path = "/v1/chat/completions";
    const { sent, losses } = await ask(provider, () => jsonOf(answer), path, body);
    expect(sent).not.toContain("logprobs");
    expect(losses.split(", ")).toContain("logprobs");
  }
});
