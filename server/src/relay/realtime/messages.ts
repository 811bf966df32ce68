/**
 * Reads the messages of OpenAI's realtime API. What decides a price is checked and written anew, so
 * that no client gets another model by a message than the one it is charged for.
 */

import { scanObject, readString } from "#base/json-scan.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";

/** The type of a message. Undefined: it is no object with one clear type. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const { doubled, errorAt, miscased, values } = scanObject(bytes, ["type"]);
  if (errorAt >= 0 || doubled.length > 0 || miscased.length > 0) return undefined;
  const span = values.get("type");
  return span === undefined ? undefined : readString(bytes, span);
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
      readonly eventId: string;
      readonly param: string;
      readonly message: string;
    };

/** Messages that can change the model or how a response is made. */
export const checkedTypes: ReadonlySet<string> = new Set([
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
export function checkMessage(
  bytes: Uint8Array,
  named: { readonly client: string; readonly upstream: string },
  mayTranscribe: (model: string) => boolean,
): Checked {
  const message = objectOf(parseJson(new TextDecoder().decode(bytes)));
  const eventId = textOf(message["event_id"]);
  const refuse = (param: string, text: string): Checked => ({
    kind: "refused",
    eventId,
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
export function outputOf(
  type: string,
  bytes: Uint8Array,
): { readonly text: number; readonly sound: number } {
  if (!type.startsWith("response.") || !type.endsWith(".delta")) return nothing;
  const { values } = scanObject(bytes, ["delta"]);
  const span = values.get("delta");
  const length = span === undefined ? 0 : span.end - span.start - 2;
  const isSound = type === "response.audio.delta" || type === "response.output_audio.delta";
  return isSound ? { text: 0, sound: length } : { text: length, sound: 0 };
}

const nothing = { text: 0, sound: 0 };

/** Bytes of base64 in a second of sound: 24,000 samples of 16 bits. */
const bytesPerSecond = (48_000 * 4) / 3;

/** Tokens of sound for bytes of base64, where the upstream reports none. */
export function heardTokens(bytes: number): number {
  return Math.ceil((bytes / bytesPerSecond / 60) * (100 / 0.06));
}

export function saidTokens(bytes: number): number {
  return Math.ceil((bytes / bytesPerSecond / 60) * (200 / 0.24));
}

/** Returns the usage in `response.done`, and in the transcription of what the user said. */
export function usageIn(bytes: Uint8Array): Json | undefined {
  const event = objectOf(parseJson(new TextDecoder().decode(bytes)));
  return objectOf(event["response"])["usage"] ?? event["usage"];
}

/** Whether an offered subprotocol carries the key, as browsers send it. */
const keyProtocol = "openai-insecure-api-key.";

/** Returns the key in the offered subprotocols; null: there is none. */
export function keyOffered(header: string | null): string | null {
  const found = (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .find((each) => each.startsWith(keyProtocol));
  return found === undefined ? null : found.slice(keyProtocol.length);
}

/** Makes the event that tells a client of an error. */
export function errorEvent(
  eventId: string,
  error: {
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly param?: string;
  },
): string {
  const { type, code, message, param = "" } = error;
  return JSON.stringify({
    type: "error",
    event_id: eventId,
    error: { type, code, message, param: param === "" ? null : param, event_id: null },
  });
}
