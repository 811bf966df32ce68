/** What reads texts and bodies before, beside and after translation: clients' formats, and cleaners. */

import { openWordSearch } from "#base/word-search.ts";
import { foldText } from "#base/fold-text.ts";
import { type Json, type JsonObject, parseExact } from "#base/json.ts";
import { plainText } from "#base/plain-text.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { LiveFormat } from "#formats/live.ts";
import { clientFormatIds, formats, type LiveFormatId } from "#formats/registry.ts";
import { cleaningSteps, cleanText } from "#modules/transcripts/clean-text.ts";
import { openai } from "#providers/openai.ts";
import { cleaners as ofRelay } from "#relay/cleaners.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { translatedClientIds } from "#test/recordings/played.ts";
import { countPrompt } from "#workers/count-prompt.ts";
import { amplify } from "./amplify.ts";
import { toolNamesOf, turnOf } from "#relay/places/conversation.ts";
import { cameAgain } from "#relay/places/moved-cost.ts";
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

const geminiMessages: JsonObject = {
  setup: { model: "models/m", generationConfig: { responseModalities: ["TEXT"] } },
  clientContent: { turns: [{ parts: [{ text: "a" }] }] },
  serverContent: { modelTurn: { parts: [{ text: "a" }] } },
  usageMetadata: { candidatesTokenCount: 1 },
};

/** What the messages of sessions have, by their format. */
const sessionMessages: Readonly<Record<LiveFormatId, JsonObject>> = {
  "gemini-live": geminiMessages,
  "gemini-live-alpha": geminiMessages,
  "gemini-live-vertex": geminiMessages,
  "openai-realtime": {
    type: "response.done",
    session: { model: "m", tools: [{ name: "t" }] },
    response: { output: [{ content: [{ text: "a" }] }], usage: { input_tokens: 1 } },
  },
};

/** Reads a message in all the ways in which a session does. */
function readMessage(live: LiveFormat, message: Buffer): unknown {
  const models = { client: "m", upstream: "n", mayTranscribe: () => true };
  const reader = live.openReader(models);
  return [
    reader.readClient(message, true),
    reader.readUpstream(message, true),
    live.readNames(message),
    live.namedBy === "message" && [live.readSetup(message), live.handleIn(message)],
  ];
}

const search = { findWord: openWordSearch(["aaab", "aab", " bb", "é!"]) ?? (() => false) };

/** The families of each line of the relay's list: a line without families fails the suite. */
const relayFamilies: Readonly<Record<keyof typeof ofRelay, readonly Family[]>> = {
  checkWords: textFamilies((text) => {
    const fields = { ...search, fields: formats["openai-chat"].client.fields };
    try {
      ofRelay.checkWords(fields, bodyOf({ messages: [{ content: text }] }));
    } catch {
      // Some have a word that is searched for.
    }
  }),
  cutQuotes: pieces.map((piece) => ({
    name: `“${piece}” quoted`,
    make: (bytes) => {
      const message = piece.repeat(2_000 / piece.length);
      const request = bodyOf({ messages: [{ content: piece.repeat(bytes / piece.length) }] });
      return () => void ofRelay.cutQuotes(message, request);
    },
  })),
  formBoundary: textFamilies(ofRelay.formBoundary),
  readForm: textFamilies((text) => {
    const head = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n';
    return ofRelay.readForm(Buffer.from(head + text), "b");
  }),
  sayBadStatus: textFamilies((text) => {
    const fault = openai.readFault(400, JSON.stringify({ error: { message: text, code: text } }));
    return ofRelay.sayBadStatus(400, fault, channel);
  }),
  scrubMessage: textFamilies((text) => ofRelay.scrubMessage(text, channel)),
  scrubWord: textFamilies((text) => ofRelay.scrubWord(text, channel)),
};

/** What consoles and keepers of texts use beside these. */
const others: readonly Subject[] = [
  ...cleaningSteps.map((step) => ({
    name: `cleaning of kept texts, ${step.name}`,
    families: textFamilies(step),
  })),
  {
    name: "cleaning of kept texts",
    families: [
      ...textFamilies((text) => cleanText(JSON.stringify({ a: [text, { b: text }] }), 65_536)),
      ...bodyFamilies({ messages: [{ content: "a", api_key: "b" }], a: '{"b":1}' }, (body) =>
        cleanText(body.toString(), 65_536),
      ),
    ],
  },
  {
    name: "a fault that is no JSON",
    families: textFamilies((text) => openai.readFault(502, text)),
  },
  { name: "plain text of a page", families: textFamilies((text) => plainText(text, 200)) },
  { name: "search of texts", families: textFamilies(foldText) },
  { name: "conversations over a WebSocket", families: longConversations },
  {
    name: "events of responses over a WebSocket",
    families: bodyFamilies(socketEvent, passSocketEvent),
  },
  {
    name: "messages for responses over a WebSocket",
    families: bodyFamilies(socketMessage, readSocketMessage),
  },
];

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

const noHeaders = { get: () => null };

/** Reads a body as the stages of the relay do, for routing, prices, words and later turns. */
function read(client: ClientFormat, bytes: Buffer, modality: Modality): unknown {
  const body = client.readRequest(bytes, { modality, model: "m", stream: false });
  if ("message" in body) return body;
  ofRelay.checkWords({ findWord: search.findWord, fields: client.fields }, bytes);
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
    toolNamesOf(turnOf({ places: true }, noHeaders, 7, bytes), bytes),
    cameAgain(bytes),
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

// Every line of the list is looked up, so that one without families is not left out.
const relay: readonly Subject[] = (Object.keys(ofRelay) as (keyof typeof ofRelay)[]).map(
  (name) => ({ name, families: relayFamilies[name] }),
);

const sessions: readonly Subject[] = Object.entries(sessionMessages).map(([id, sample]) => {
  // Safe cast: the keys are those of the record.
  const { live }: { readonly live: LiveFormat } = formats[id as LiveFormatId].client;
  return {
    name: `messages of sessions of ${id}`,
    families: bodyFamilies(sample, (body) => readMessage(live, body)),
  };
});

export const cleaners: readonly Subject[] = [...relay, ...others, ...clients, ...sessions];
