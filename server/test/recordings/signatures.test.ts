/**
 * Signatures that a provider wants back, carried by clients of other formats: they return to their
 * issuer on the same part, and never to anybody else.
 */

import { expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import { defaultSampling, noHints } from "#canonical/request.ts";
import { translations } from "#formats/translations.ts";

const signature = "c2lnbmF0dXJlLW9mLXRoZS1pc3N1ZXItMDEyMzQ1Njc4OQ==";

const answers = {
  "anthropic-messages": {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [
      { type: "thinking", thinking: "Look it up.", signature },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Paris" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  "gemini-generate": {
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts: [
            {
              functionCall: { id: "call_1", name: "weather", args: { city: "Paris" } },
              thoughtSignature: signature,
            },
          ],
        },
      },
    ],
  },
  "openai-responses": {
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "gpt-5",
    output: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: signature },
      {
        type: "function_call",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Paris"}',
      },
    ],
  },
} as const;

type Issuer = keyof typeof answers;
type Client = keyof typeof nextTurns;

/** Makes the client's next request from the answer that it got, as its SDK would. */
const nextTurns = {
  "anthropic-messages": ({ content }: JsonObject) => ({
    model: "m",
    max_tokens: 9_000,
    thinking: { type: "enabled", budget_tokens: 2_000 },
    messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: content ?? null },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "sun" }] },
    ],
  }),
  "gemini-generate": ({ candidates }: JsonObject) => {
    const [first] = candidates as readonly { readonly content: JsonObject }[];
    return {
      generationConfig: { thinkingConfig: { thinkingBudget: 2_000 } },
      contents: [
        { role: "user", parts: [{ text: "Weather?" }] },
        first?.content ?? {},
        {
          role: "user",
          parts: [{ functionResponse: { name: "weather", response: { result: "sun" } } }],
        },
      ],
    };
  },
  "openai-chat": ({ choices }: JsonObject) => {
    const [first] = choices as readonly { readonly message: JsonObject }[];
    return {
      model: "m",
      reasoning_effort: "low",
      max_tokens: 9_000,
      messages: [
        { role: "user", content: "Weather?" },
        first?.message ?? {},
        { role: "tool", tool_call_id: "call_1", content: "sun" },
      ],
    };
  },
  "openai-responses": ({ output }: JsonObject) => ({
    model: "m",
    reasoning: { effort: "low" },
    input: [
      { role: "user", content: "Weather?" },
      ...(output as readonly JsonObject[]),
      { type: "function_call_output", call_id: "call_1", output: "sun" },
    ],
  }),
};

/** Returns what an upstream gets in the second turn of a client that was answered by an issuer. */
function secondTurn(issuer: Issuer, client: Client, upstream: Issuer): string {
  const asked = {
    responseId: "r",
    model: "m",
    createdAt: 1,
    promptTokens: 1,
    wantsUsage: true,
    body: {},
    request: {
      model: "m",
      items: [],
      tools: [],
      toolChoice: null,
      parallelToolCalls: null,
      limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
      sampling: defaultSampling,
      reasoning: null,
      output: null,
      media: null,
      hints: noHints,
      stream: false,
    },
  };
  const answer = foldAnswer(translations[issuer].upstream.readAnswer(answers[issuer], "seed"));
  const shown = translations[client].client.writeAnswer(answer, asked);
  const body = nextTurns[client](JSON.parse(JSON.stringify(shown)));
  const path = { modality: "chat", model: "m", stream: false } as const;
  const parsed = translations[client].client.parseRequest(body, path);
  if ("message" in parsed) throw new Error(parsed.message);
  const request = { ...parsed.request, model: modelOf[upstream] };
  const written = translations[upstream].upstream.writeRequest(request, {});
  if ("message" in written) throw new Error(written.message);
  return JSON.stringify(written.body);
}

const modelOf: Readonly<Record<Issuer, string>> = {
  "anthropic-messages": "claude-sonnet-4-5",
  "gemini-generate": "gemini-3-pro",
  "openai-responses": "gpt-5",
};

/** Where the issuer wants its signature back. */
const place: Readonly<Record<Issuer, string>> = {
  "anthropic-messages": `"signature":"${signature}"},{"type":"tool_use"`,
  "gemini-generate": `"args":{"city":"Paris"}},"thoughtSignature":"${signature}"`,
  "openai-responses": `"encrypted_content":"${signature}"},{"type":"function_call"`,
};

const issuers = Object.keys(answers) as Issuer[];
const clients = Object.keys(nextTurns) as Client[];

for (const issuer of issuers) {
  for (const client of clients.filter((each) => each !== issuer)) {
    test(`a client of ${client} brings the signature of ${issuer} back to its place`, () => {
      expect(secondTurn(issuer, client, issuer)).toContain(place[issuer]);
    });

    for (const other of issuers.filter((each) => each !== issuer)) {
      test(`a client of ${client} does not give the signature of ${issuer} to ${other}`, () => {
        const sent = secondTurn(issuer, client, other);

        expect(sent).not.toContain(signature);
        expect(sent).toContain("sun");
      });
    }
  }
}
