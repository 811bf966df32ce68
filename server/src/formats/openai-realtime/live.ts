/**
 * Reads the messages of OpenAI's realtime API. What decides a price is checked and written anew, so
 * that no client gets another model by a message than the one it is charged for.
 */

import { scanObject, readString } from "#base/json-scan.ts";
import type { Json, JsonObject } from "#base/json.ts";
import {
  type Amount,
  type ClientMessage,
  type MessageReader,
  type NamedByAddress,
  noAmount,
  type SessionError,
  type SessionModels,
  type UpstreamMessage,
} from "#formats/live.ts";
import { namedRules } from "#formats/shared/named/named-ids.ts";
import { openMessageNames } from "#formats/shared/named/names-in-messages.ts";
import { isUnder, says } from "#formats/shared/named/walk-objects.ts";
import { objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { mostOf } from "#formats/shared/scan/crowded.ts";

const crowding = { most: mostOf("realtime") };

/** The type of a message. Undefined: it is no object with one clear type, or has too many values. */
function typeOf(bytes: Uint8Array): string | undefined {
  const { doubled, errorAt, miscased, values } = scanObject(bytes, ["type"], crowding);
  if (errorAt >= 0 || doubled.length > 0 || miscased.length > 0) return undefined;
  const span = values.get("type");
  return span === undefined ? undefined : readString(bytes, span);
}

/** The event with the transcription of what the user said. */
const transcribed = "conversation.item.input_audio_transcription.completed";

const unreadable: UpstreamMessage = {
  kind: "unreadable",
  isAnswer: false,
  said: noAmount,
  usage: undefined,
};

const notOneEvent: ClientMessage = {
  kind: "refused",
  ends: false,
  error: {
    code: "invalid_event",
    message: "a message must be one JSON object with a type, not too many values",
  },
};

function openReader(models: SessionModels): MessageReader {
  let transcriber = "";
  // Bytes of sound that were heard since the last transcription.
  let unread = 0;
  return {
    readClient(bytes, isText) {
      const type = isText ? typeOf(bytes) : undefined;
      if (type === undefined) return notOneEvent;
      const isSound = type === "input_audio_buffer.append";
      if (isSound) unread += bytes.length;
      const heard = isSound ? { text: 0, sound: bytes.length } : { text: bytes.length, sound: 0 };
      if (!checkedTypes.has(type)) return { kind: "forward", message: bytes, heard };
      const checked = checkMessage(bytes, models, models.mayTranscribe);
      if (checked.kind === "refused") {
        const { message, param } = checked;
        return { kind: "refused", ends: false, error: { code: "invalid_value", message, param } };
      }
      if (checked.transcriber !== "") ({ transcriber } = checked);
      return { kind: "forward", message: checked.text, heard };
    },
    readUpstream(bytes, isText) {
      const type = isText ? typeOf(bytes) : undefined;
      if (type === undefined) return unreadable;
      const isDone = type === "response.done";
      const isSpeech = type === transcribed;
      return {
        kind: isDone ? "done" : isSpeech ? "transcribed" : "other",
        isAnswer: type === "response.created",
        said: outputOf(type, bytes),
        usage: isDone || isSpeech ? usageIn(bytes) : undefined,
      };
    },
    errorMessage: errorEvent,
    takeSpeech() {
      const sound = unread;
      unread = 0;
      return { model: transcriber, sound };
    },
    heardTokens,
    saidTokens,
  };
}

/** A client's message as it goes on, or why it does not. */
type Checked =
  | {
      readonly kind: "forward";
      readonly text: string;
      /** The model that is to transcribe what the user says; empty: the message names none. */
      readonly transcriber: string;
    }
  | {
      readonly kind: "refused";
      readonly param: string;
      readonly message: string;
    };

/** Messages that can change the model or how a response is made. */
const checkedTypes: ReadonlySet<string> = new Set([
  "response.create",
  "session.update",
  "transcription_session.update",
]);

/**
 * Checks a message of `checkedTypes`.
 *
 * @param named the model that the client named, and the one that the upstream knows.
 * @param mayTranscribe whether the client may use a model for transcription.
 */
function checkMessage(
  bytes: Uint8Array,
  named: { readonly client: string; readonly upstream: string },
  mayTranscribe: (model: string) => boolean,
): Checked {
  const message = objectOf(parseJson(new TextDecoder().decode(bytes)));
  const refuse = (param: string, text: string): Checked => ({
    kind: "refused",
    param,
    message: text,
  });
  const inner = message["type"] === "response.create" ? "response" : "session";
  const given = message[inner];
  const settings = objectOf(given);
  const { model } = settings;
  if (model !== undefined && model !== named.client) {
    return refuse(
      `${inner}.model`,
      `this session is charged as ${named.client}: its model cannot be changed`,
    );
  }
  for (const transcription of transcriptionsOf(settings)) {
    const used = textOf(transcription["model"]);
    if (used !== "" && !mayTranscribe(used)) {
      return refuse(
        `${inner}.transcription.model`,
        `this key may not use the model ${used}, or it has no price`,
      );
    }
  }
  const [transcriber = ""] = transcriptionsOf(settings)
    .map((each) => textOf(each["model"]))
    .filter((each) => each !== "");
  const kept = model === undefined ? given : { ...settings, model: named.upstream };
  const body: JsonObject = given === undefined ? message : { ...message, [inner]: kept ?? null };
  return { kind: "forward", text: JSON.stringify(body), transcriber };
}

/** Where both versions of the protocol name the model that transcribes what the user says. */
function transcriptionsOf(session: JsonObject): readonly JsonObject[] {
  const input = objectOf(objectOf(session["audio"])["input"]);
  return [session["input_audio_transcription"], input["transcription"]].map((each) =>
    objectOf(each),
  );
}

/** What an event of the upstream adds to a response: bytes of text, and bytes of sound. */
function outputOf(type: string, bytes: Uint8Array): Amount {
  if (!type.startsWith("response.") || !type.endsWith(".delta")) return noAmount;
  const { values } = scanObject(bytes, ["delta"]);
  const span = values.get("delta");
  const length = span === undefined ? 0 : span.end - span.start - 2;
  const isSound = type === "response.audio.delta" || type === "response.output_audio.delta";
  return isSound ? { text: 0, sound: length } : { text: length, sound: 0 };
}

/** Bytes of base64 in a second of sound: 24,000 samples of 16 bits. */
const bytesPerSecond = (48_000 * 4) / 3;

/** Tokens of sound for bytes of base64, where the upstream reports none. */
function heardTokens(bytes: number): number {
  return Math.ceil((bytes / bytesPerSecond / 60) * (100 / 0.06));
}

function saidTokens(bytes: number): number {
  return Math.ceil((bytes / bytesPerSecond / 60) * (200 / 0.24));
}

/** Returns the usage in `response.done`, and in the transcription of what the user said. */
function usageIn(bytes: Uint8Array): Json | undefined {
  const event = objectOf(parseJson(new TextDecoder().decode(bytes)));
  return objectOf(event["response"])["usage"] ?? event["usage"];
}

/** Makes the event that tells a client of an error. */
function errorEvent(
  id: string,
  { type, code, message, param = "" }: SessionError & { readonly type: string },
): string {
  return JSON.stringify({
    type: "error",
    event_id: `evt_${id}`,
    error: { type, code, message, param: param === "" ? null : param, event_id: null },
  });
}

/** What messages name. Items of the session itself have ids as well; these are no other user's. */
const rules = namedRules({
  keys: ["prompt", "response", "session"],
  toolData: [],
  read(object, found) {
    const isSettings = isUnder(object, "session") || isUnder(object, "response");
    if (isSettings && says(object, "prompt")) found.foreign ||= "prompt";
  },
});

export const live: NamedByAddress = {
  namedBy: "address",
  openReader,
  readNames: openMessageNames(rules, ["prompt"]),
};
