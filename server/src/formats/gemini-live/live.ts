/**
 * Reads the messages of Gemini's Live API. The first one, `setup`, names the model; none after it may
 * be another, because the session is charged as that model.
 */

import { scanObject, readString } from "#base/json-scan.ts";
import type { JsonObject } from "#base/json.ts";
import {
  type Amount,
  type ClientMessage,
  type MessageReader,
  type NamedByMessage,
  noAmount,
  type Setup,
  type UpstreamMessage,
} from "#formats/live.ts";
import { namedRules } from "#formats/shared/named/named-ids.ts";
import { openMessageNames } from "#formats/shared/named/names-in-messages.ts";
import { textsUnder } from "#formats/shared/named/walk-objects.ts";
import { asObject, listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";

/** What Google's clients write before the name of a model. */
const namePrefix = /^(?:(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/)?models\//;

/** Reads the first message. Undefined: it is none. */
function readSetup(bytes: Uint8Array): Setup | undefined {
  const setup = spanIn(bytes, "setup", 0, bytes.length);
  if (setup?.kind !== "object") return undefined;
  const named = spanIn(bytes, "model", setup.start, setup.end);
  const written = named === undefined ? undefined : readString(bytes, named);
  if (named === undefined || written === undefined) return undefined;
  const model = written.replace(namePrefix, "");
  return {
    model,
    named(name) {
      if (name === written) return bytes;
      return Buffer.concat([
        bytes.subarray(0, named.start),
        Buffer.from(JSON.stringify(name)),
        bytes.subarray(named.end),
      ]);
    },
  };
}

/** Finds a value in an object of the bytes that all parsers find there. Undefined: there is none. */
function spanIn(bytes: Uint8Array, key: string, start: number, end: number) {
  const { doubled, errorAt, miscased, values } = scanObject(bytes, [key], { start, end });
  const isClear = errorAt < 0 && doubled.length === 0 && miscased.length === 0;
  return isClear ? values.get(key) : undefined;
}

function refused(message: string): ClientMessage {
  return { kind: "refused", ends: true, error: { code: "invalid_message", message } };
}

const notOneObject = refused("a message must be one JSON object");
const secondSetup = refused("setup is sent once: open another session to change it");

const unreadable: UpstreamMessage = {
  kind: "unreadable",
  isAnswer: false,
  said: noAmount,
  usage: undefined,
};

/** How the counts of the output are called: by Google AI, and by Vertex. */
const countNames = {
  response: ["responseTokenCount", "responseTokensDetails"],
  candidates: ["candidatesTokenCount", "candidatesTokensDetails"],
} as const;

/** @param counts how the client calls the counts of the output, whatever its upstream does. */
function openReader(counts: keyof typeof countNames): MessageReader {
  const others = counts === "response" ? "candidates" : "response";
  return {
    ...plainReader,
    readUpstream(bytes, isText) {
      const read = plainReader.readUpstream(bytes, isText);
      const usage = asObject(read.usage);
      if (usage === undefined || countNames[others].every((name) => usage[name] === undefined)) {
        return read;
      }
      const renamed = Object.entries(usage).map(([name, value]) => {
        const at = countNames[others].findIndex((other) => other === name);
        return [countNames[counts][at] ?? name, value] as const;
      });
      const message = parseObject(bytes);
      const usageMetadata = Object.fromEntries(renamed);
      return { ...read, renamed: Buffer.from(JSON.stringify({ ...message, usageMetadata })) };
    },
  };
}

const plainReader: MessageReader = {
  readClient(bytes) {
    const scan = scanObject(bytes, ["setup", "realtimeInput", "realtime_input"]);
    if (scan.errorAt >= 0) return notOneObject;
    if (scan.values.has("setup") || scan.miscased.some((key) => key.toLowerCase() === "setup")) {
      return secondSetup;
    }
    const input = scan.values.get("realtimeInput") ?? scan.values.get("realtime_input");
    const isSound =
      input !== undefined && spanIn(bytes, "text", input.start, input.end) === undefined;
    const { length } = bytes;
    const heard = isSound ? { text: 0, sound: length } : { text: length, sound: 0 };
    return { kind: "forward", message: bytes, heard };
  },
  // Google sends its JSON as binary messages.
  readUpstream(bytes) {
    const message = asObject(parseJson(bytes.toString()));
    if (message === undefined) return unreadable;
    const content = asObject(message["serverContent"]);
    const calls = message["toolCall"];
    return {
      kind: content?.["turnComplete"] === true ? "done" : "other",
      isAnswer: calls !== undefined || isOfModel(content),
      said: addUp(saidIn(content), calls === undefined ? 0 : JSON.stringify(calls).length),
      usage: message["usageMetadata"],
    };
  },
  heardTokens: (bytes) => Math.ceil((bytes / heardBytesPerSecond) * tokensPerSecond),
  saidTokens: (bytes) => Math.ceil((bytes / saidBytesPerSecond) * tokensPerSecond),
};

/** Whether the model has begun its turn: a transcription of the user's speech may come before it. */
function isOfModel(content: JsonObject | undefined): boolean {
  if (content === undefined) return false;
  const fields = Object.keys(content);
  return fields.length === 0 || fields.some((field) => field !== "inputTranscription");
}

/** What the model said. The transcription of its sound repeats it and does not count. */
function saidIn(content: JsonObject | undefined): Amount {
  let text = 0;
  let sound = 0;
  for (const part of listOf(objectOf(content?.["modelTurn"])["parts"])) {
    text += Buffer.byteLength(textOf(objectOf(part)["text"]));
    sound += textOf(objectOf(objectOf(part)["inlineData"])["data"]).length;
  }
  return { text, sound };
}

function addUp({ text, sound }: Amount, more: number): Amount {
  return { text: text + more, sound };
}

function parseObject(bytes: Uint8Array): JsonObject {
  return objectOf(parseJson(new TextDecoder().decode(bytes)));
}

/** Returns the handle by which a later session can continue this one; empty: the message has none. */
function handleIn(bytes: Buffer): string {
  if (!bytes.includes("sessionResumptionUpdate")) return "";
  return textOf(objectOf(parseObject(bytes)["sessionResumptionUpdate"])["newHandle"]);
}

/** How many tokens one second of audio counts as; https://ai.google.dev/gemini-api/docs/live (read 2026-11-23). */
const tokensPerSecond = 25;

/** Bytes of base64 in a second of sound: 16,000 samples of 16 bits from the user, 24,000 to it. */
const heardBytesPerSecond = (32_000 * 4) / 3;
const saidBytesPerSecond = (48_000 * 4) / 3;

const handleField = "setup.sessionResumption.handle";

/** How clients write where the handle of an earlier session stands. */
const resumptions = ["session_resumption", "sessionresumption"];

const rules = namedRules({
  keys: ["handle", ...resumptions],
  toolData: ["args", "response"],
  read(object, found) {
    if (!resumptions.includes(object.place?.key ?? "")) return;
    for (const text of textsUnder(object, "handle")) {
      if (text !== "") found.given.push({ text, field: handleField, isEcho: false });
    }
  },
});

const readNames = openMessageNames(rules, ["handle"]);

/** @param api whose version of the API clients know: Google AI's or Vertex's. */
export function liveOf(api: "google" | "vertex"): NamedByMessage {
  const isVertex = api === "vertex";
  return {
    namedBy: "message",
    openReader: () => openReader(isVertex ? "candidates" : "response"),
    readSetup,
    handleField,
    handleIn,
    isVertex,
    readNames,
  };
}
