/** Reads requests that turn speech into text, which are forms with a file, and what they cost. */

import type { BodyRefusal, RequestBody, RequestPath } from "#formats/format.ts";
import { openBodyFields } from "#formats/shared/media/body-fields.ts";
import { tokensOfSeconds } from "#formats/shared/media/media-usage.ts";
import { longestSeconds, soundSeconds } from "./sound-length.ts";

const keys = ["model", "prompt", "response_format", "stream"];

/** The model of requests that name none, as one-api compatible gateways have it. */
const modelDefault = "whisper-1";

const answerForms: ReadonlySet<string> = new Set([
  "",
  "diarized_json",
  "json",
  "srt",
  "text",
  "verbose_json",
  "vtt",
]);

/** Speech has at most as many tokens of text a minute of sound. */
const outputPerMinuteMax = 2_000;
/** Output tokens besides those of the speech. */
const outputLeast = 2_048;

export function readTranscription(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  const code = "invalid_audio_request";
  const { files } = path;
  const fields = openBodyFields(bytes, keys, { code, isForm: true });
  const model = fields.model(path.model ?? modelDefault);
  const stream = fields.flag("stream");
  if (!answerForms.has(fields.text("response_format"))) {
    const known = [...answerForms].filter((form) => form !== "").join(", ");
    fields.refuse("response_format", `response_format must be one of ${known}`);
  }
  const file = files?.find(({ name }) => name === "file");
  if (file === undefined) {
    fields.refuse("file", "field file is required: send the sound as a file of a form");
  } else if (files?.length !== 1) fields.refuse("file", "one file is taken");
  const refusal = fields.refusal();
  if (refusal !== undefined || file === undefined) {
    return refusal ?? { code, param: "file", message: "" };
  }
  const longest = longestSeconds(file.bytes.length);
  const seconds = soundSeconds(file.bytes);
  return {
    modality: path.modality,
    model,
    stream,
    answerCount: 1,
    maxTokens: null,
    wantsUsage: true,
    textBytes: bytes.length,
    mediaParts: 0,
    hasUnseenInput: false,
    work: {
      callThousandths: 1_000,
      input: Math.max(1, tokensOfSeconds(seconds)),
      inputMax: tokensOfSeconds(longest) + bytes.length,
      outputMax: outputLeast + Math.ceil((seconds / 60) * outputPerMinuteMax),
    },
    spans: fields.values,
  };
}
