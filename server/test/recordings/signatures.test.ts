/**
 * Signatures that a provider wants back, carried by clients of other formats: they return to their
 * issuer on the same part, and never to anybody else.
 */

import { expect, test } from "bun:test";
import { foldAnswer } from "#canonical/answer.ts";
import { translations } from "#formats/translation-registry.ts";
import { asked, nextRequest, streamedAnswer } from "./next-turn.ts";
import { type TranslatedClientId, translatedClientIds } from "./played.ts";

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

/** Returns what an upstream gets in the second turn of a client that was answered by an issuer. */
function secondTurn(issuer: Issuer, client: TranslatedClientId, upstream: Issuer): string {
  const answer = foldAnswer(translations[issuer].upstream.readAnswer(answers[issuer], "seed"));
  const shown = translations[client].client.writeAnswer(answer, asked);
  const model = modelOf[upstream];
  return JSON.stringify(
    nextRequest({ client, answer: shown, upstream, model, hasCall: true }).body,
  );
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

for (const issuer of issuers) {
  for (const client of translatedClientIds.filter((each) => each !== issuer)) {
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

for (const client of translatedClientIds.filter((each) => each !== "openai-chat")) {
  test(`a client of ${client} brings back what Google's layer of the chat format signs, call or message`, () => {
    const extra = { extra_content: { google: { thought_signature: signature } } };
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const messages = [
      { content: null, tool_calls: [{ ...call, ...extra }] },
      { content: null, tool_calls: [call], ...extra },
    ];
    for (const message of messages) {
      const body = { id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
      const answer = foldAnswer(translations["openai-chat"].upstream.readAnswer(body, "seed"));
      const shown = translations[client].client.writeAnswer(answer, asked);
      const next = {
        client,
        answer: shown,
        upstream: "openai-chat",
        model: "gemini-3-pro",
      } as const;

      expect(JSON.stringify(nextRequest({ ...next, hasCall: true }).body)).toContain(
        `"arguments":"{}"},"extra_content":{"google":{"thought_signature":"${signature}"}}`,
      );
    }
  });
}

for (const client of translatedClientIds.filter((each) => each !== "openai-chat")) {
  for (const how of ["whole", "streamed"] as const) {
    test(`a client of ${client} keeps the signature of a text of Google's layer of the chat format, ${how}`, () => {
      const extra = { extra_content: { google: { thought_signature: signature } } };
      const message = { role: "assistant", content: "Noon.", ...extra };
      const body = (output: "delta" | "message") => ({
        id: "c",
        choices: [{ index: 0, [output]: message, finish_reason: "stop" }],
      });
      const { upstream } = translations["openai-chat"];
      const reader = upstream.openReader("seed");
      const events =
        how === "whole"
          ? upstream.readAnswer(body("message"), "seed")
          : [...reader.read("", JSON.stringify(body("delta"))), ...reader.end()];
      const answer =
        how === "whole"
          ? translations[client].client.writeAnswer(foldAnswer(events), asked)
          : streamedAnswer(client, events);

      const next = { client, answer, upstream: "gemini-generate", model: "gemini-3-pro" } as const;
      const sent = JSON.stringify(nextRequest(next).body);

      // In a stream of Gemini's, the signature of a text comes behind it, in a part of its own.
      const isApart = client === "gemini-generate" && how === "streamed";
      const signed = `"thoughtSignature":"${signature}"}`;
      expect(sent).toContain(
        isApart ? `{"text":"Noon."},{"text":"",${signed}` : `{"text":"Noon.",${signed}`,
      );
      // A request of chat completions has no place for it.
      const chat = nextRequest({ ...next, upstream: "openai-chat" });
      expect(chat.losses.join()).toMatch(/(text|reasoning) signature/);
    });
  }
}
