/** What reads texts and bodies before, beside and after translation: clients' formats, and cleaners. */

import { openWordSearch } from "#base/word-search.ts";
import { foldText } from "#base/fold-text.ts";
import { type Json, type JsonObject, parseExact } from "#base/json.ts";
import { plainText } from "#base/plain-text.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ClientFormat } from "#formats/format.ts";
import { clientFormatIds, formats } from "#formats/registry.ts";
import { cleanText } from "#modules/transcripts/clean-text.ts";
import { openai } from "#providers/openai.ts";
import { checkWords } from "#relay/guards/words.ts";
import { geminiReader, readSetup } from "#relay/realtime/gemini-messages.ts";
import { openaiReader } from "#relay/realtime/openai-messages.ts";
import { cutQuotes } from "#relay/stages/cut-quotes.ts";
import { sayBadStatus } from "#relay/stages/fault-words.ts";
import { formBoundary, readForm } from "#relay/stages/multipart.ts";
import { scrubMessage } from "#relay/stages/scrub.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { translatedClientIds } from "#test/recordings/played.ts";
import { countPrompt } from "#workers/count-prompt.ts";
import { amplify } from "./amplify.ts";
import { conversations } from "./conversations.ts";
import type { Family, Subject } from "./measure.ts";
import {
  longConversations,
  passSocketEvent,
  readSocketMessage,
  socketEvent,
  socketMessage,
} from "./sockets.ts";
import { writers } from "./writers.ts";

/** Pieces of which texts are made that keep an expression busy. */
const pieces = [
  "a",
  " ",
  "\n",
  "é",
  "\u0001",
  '\\"',
  '[{"',
  '{"a":',
  "=",
  "<",
  "< ",
  "<a ",
  "<script>",
  "&#1",
  "a-",
  "a.",
  "1.1.",
  "[::",
  "[0:",
  "http://",
  "a://",
  "*",
  "sk-",
  "sk-aaaaaaaa ",
  "eyJa-",
  "eyJaaaaaaaaaaaa.",
  "Bearer ",
  "Bearer a",
  "authorization ",
  "api_key : ",
  "-----BEGIN A",
  "-----BEGIN PRIVATE KEY-----",
  "-----END A",
  "data:a/a;",
  "data:a/a;base64,==a",
  "\r\n--b",
  "%E4",
];

/** Texts with a beginning that an expression waits for, and one that never comes. */
function textFamilies(work: (text: string) => unknown): readonly Family[] {
  return pieces.flatMap((piece) => [
    {
      name: `“${piece}” again and again`,
      make: (bytes) => {
        const text = piece.repeat(bytes / piece.length);
        return () => void work(text);
      },
    },
    {
      name: `“${piece}” and spaces`,
      make: (bytes) => {
        const text = `x ${piece}${" ".repeat(bytes / 2)}${"a".repeat(bytes / 2)}!`;
        return () => void work(text);
      },
    },
  ]);
}

const bodyOf = (value: object | Json): Buffer => Buffer.from(JSON.stringify(value));
const channel = testChannel({ baseUrl: "https://upstream.test/v1" });

function bodyFamilies(sample: Json, work: (body: Buffer) => unknown): readonly Family[] {
  return amplify(sample).map(({ name, make }): Family => ({
    name,
    make: (bytes) => {
      const body = bodyOf(make(bytes));
      return () => void work(body);
    },
  }));
}

/** What has no registry, by what it does. */
const single: Readonly<Record<string, readonly Family[]>> = {
  "cleaning of kept texts": [
    ...textFamilies((text) => cleanText(text, 65_536)),
    ...textFamilies((text) => cleanText(JSON.stringify({ a: [text, { b: text }] }), 65_536)),
    ...bodyFamilies({ messages: [{ content: "a", api_key: "b" }], a: '{"b":1}' }, (body) =>
      cleanText(body.toString(), 65_536),
    ),
  ],
  "cutting quotations out of errors": pieces.map((piece) => ({
    name: `“${piece}” quoted`,
    make: (bytes) => {
      const message = piece.repeat(2_000 / piece.length);
      const request = bodyOf({ messages: [{ content: piece.repeat(bytes / piece.length) }] });
      return () => void cutQuotes(message, request);
    },
  })),
  "words of a fault": textFamilies((text) => {
    const fault = openai.readFault(400, JSON.stringify({ error: { message: text, code: text } }));
    return [scrubMessage(fault.message, channel), sayBadStatus(400, fault, channel)];
  }),
  "a fault that is no JSON": textFamilies((text) => openai.readFault(502, text)),
  "plain text of a page": textFamilies((text) => plainText(text, 200)),
  "search of texts": textFamilies(foldText),
  forms: textFamilies((text) => {
    const head = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n';
    return [readForm(Buffer.from(head + text), "b"), formBoundary(text.slice(0, 8_000))];
  }),
  "messages of Gemini's live sessions": bodyFamilies(
    {
      setup: { model: "models/m", generationConfig: { responseModalities: ["TEXT"] } },
      clientContent: { turns: [{ parts: [{ text: "a" }] }] },
      serverContent: { modelTurn: { parts: [{ text: "a" }] } },
      usageMetadata: { candidatesTokenCount: 1 },
    },
    (body) => {
      const reader = geminiReader("response");
      return [readSetup(body), reader.asked(body, true), reader.answered(body, true)];
    },
  ),
  "conversations over a WebSocket": longConversations,
  "events of responses over a WebSocket": bodyFamilies(socketEvent, passSocketEvent),
  "messages for responses over a WebSocket": bodyFamilies(socketMessage, readSocketMessage),
  "messages of OpenAI's realtime sessions": bodyFamilies(
    {
      type: "response.done",
      session: { model: "m", tools: [{ name: "t" }] },
      response: { output: [{ content: [{ text: "a" }] }], usage: { input_tokens: 1 } },
    },
    (body) => {
      const reader = openaiReader({ client: "m", upstream: "n", mayTranscribe: () => true });
      return [reader.asked(body, true), reader.answered(body, true)];
    },
  ),
};

const search = { findWord: openWordSearch(["aaab", "aab", " b", "é!"]) ?? (() => false) };

const modalities: readonly Modality[] = [
  "chat",
  "compact",
  "embeddings",
  "images",
  "moderations",
  "realtime",
  "rerank",
  "speech",
  "transcriptions",
];

/** Reads a body as the stages of the relay do, for routing, prices, words and later turns. */
function read(client: ClientFormat, bytes: Buffer, modality: Modality): unknown {
  const body = client.readRequest(bytes, { modality, model: "m", stream: false });
  if ("message" in body) return body;
  checkWords({ findWord: search.findWord, fields: client.fields }, bytes);
  const given = parseExact(bytes.toString()) as JsonObject; // Safe cast: it was read as an object.
  const { issued, kept } = client;
  const keeps = (text: string): boolean => text === "";
  return [
    client.rewriteRequest(bytes, body, { model: "other", asksForUsage: true }),
    client.addInstructions?.(given, "Be brief."),
    client.estimatePrompt(bytes),
    countPrompt(client, bytes, (text) => text.length),
    issued?.readBy === "account" && [issued.ofRequest(bytes, body), issued.leaveOut(given)],
    issued?.readBy === "account" && issued.ofAnswer(bytes),
    issued?.readBy === "family" && [issued.lastOf(bytes), issued.allOf(bytes)],
    issued?.readBy === "family" && issued.leaveOut(given, { keeps, takesUnsigned: false }),
    kept?.continued(bytes, body),
    kept?.mayKeep(bytes),
    kept?.toKeep(bytes, body, bytes, false),
    kept?.listInput("id", given["input"] ?? null),
    client.stream.assemble(Buffer.from(`data: ${bytes.toString()}\n\n`)),
  ];
}

const clients: readonly Subject[] = clientFormatIds.map((id) => {
  const { client }: { readonly client: ClientFormat } = formats[id];
  const translated = translatedClientIds.find((each) => each === id);
  if (translated !== undefined) {
    const families = Object.entries(conversations).map(([name, make]): Family => ({
      name,
      make: (bytes) => {
        const body = bodyOf(writers[translated](make(bytes)));
        return () => void read(client, body, "chat");
      },
    }));
    return { name: `a client of ${id}`, families };
  }
  const fits = (modality: Modality): boolean => {
    const body = bodyOf(client.smallRequest("m", modality));
    return !("message" in client.readRequest(body, { modality, model: "m", stream: false }));
  };
  // A session has no body.
  const modality = modalities.find(fits) ?? "realtime";
  // Safe cast: it is sent as JSON.
  const sample = client.smallRequest("m", modality) as JsonObject;
  return {
    name: `a client of ${id}`,
    families: bodyFamilies(sample, (body) => read(client, body, modality)),
  };
});

export const cleaners: readonly Subject[] = [
  ...Object.entries(single).map(([name, families]) => ({ name, families })),
  ...clients,
];
