/** Reads requests that turn a text into speech, and what they cost. */

import { readString } from "#base/json-scan.ts";
import type { BodyRefusal, RequestBody, RequestPath } from "#formats/format.ts";
import { openBodyFields } from "#formats/shared/media/body-fields.ts";

/** The longest text, in characters. OpenAI takes 4,096; other providers take more. */
const inputLengthMax = 100_000;

const keys = [
  "input",
  "instructions",
  "model",
  "response_format",
  "speed",
  "stream_format",
  "voice",
];

/** The model of requests that name none, as one-api compatible gateways have it. */
const modelDefault = "tts-1";

/** Sound has at most as many tokens for each character of text, spoken slowly. */
const tokensPerCharacterMax = 20;

export function readSpeech(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  const code = "invalid_audio_request";
  const fields = openBodyFields(bytes, keys, { code, isForm: false });
  const model = fields.model(path.model ?? modelDefault);
  const input = fields.required("input", ["string"]);
  const text = input === undefined ? "" : (readString(bytes, input) ?? "");
  const characters = countCharacters(text);
  if (characters > inputLengthMax) {
    fields.refuse("input", `input may have at most ${inputLengthMax} characters`);
  }
  const streamFormat = fields.text("stream_format");
  if (!["", "audio", "sse"].includes(streamFormat)) {
    fields.refuse("stream_format", "stream_format must be audio or sse");
  }
  const refusal = fields.refusal();
  if (refusal !== undefined) return refusal;
  const isBytes = streamFormat !== "sse";
  // OpenAI's models named tts, and those of ElevenLabs and Deepgram, are priced by characters.
  const isByCharacters = /^(?:tts(?:-|$)|eleven_|aura-)/.test(model);
  return {
    modality: path.modality,
    model,
    stream: true,
    answerCount: 1,
    maxTokens: null,
    wantsUsage: true,
    textBytes: bytes.length,
    mediaParts: 0,
    hasUnseenInput: false,
    isBytes,
    work: {
      callThousandths: 1_000,
      input: isByCharacters ? characters : null,
      inputMax: bytes.length,
      outputMax: isBytes ? 0 : characters * tokensPerCharacterMax,
    },
    spans: fields.values,
  };
}

/** Returns the number of characters, of which each pair of surrogates is one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const character of text) count += character === "" ? 0 : 1;
  return count;
}
