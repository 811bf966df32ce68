import type { BodyRefusal, Format, RequestBody, RequestPath } from "#formats/format.ts";
import { openBodyFields } from "#formats/shared/media/body-fields.ts";
import { countMedia } from "#formats/shared/count-media.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";

/** The model of requests that name none, as OpenAI's API had it. */
const modelDefault = "text-moderation-stable";

function readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  const code = "invalid_text_request";
  const fields = openBodyFields(bytes, ["model", "input"], { code, isForm: false });
  const model = fields.model(path.model ?? modelDefault);
  fields.required("input", ["string", "array"]);
  const refusal = fields.refusal();
  if (refusal !== undefined) return refusal;
  const media = countMedia(bytes);
  return {
    modality: path.modality,
    model,
    stream: false,
    answerCount: 1,
    maxTokens: null,
    wantsUsage: true,
    textBytes: bytes.length - media.byteCount,
    mediaParts: media.count,
    hasUnseenInput: false,
    // No provider reports usage, so the text is counted here.
    work: { callThousandths: 1_000, input: null, inputMax: bytes.length, outputMax: 0 },
    spans: fields.values,
  };
}

const client = mediaClient({
  readRequest,
  smallRequest: (model) => ({ model, input: "hello world" }),
  input: "input",
  texts: ["input", "text"],
});

const upstream = plainUpstream({
  usage: "usage",
  answering: ["results"],
  skipped: ["categories", "category_scores", "category_applied_input_types"],
});

/** OpenAI's format for moderations. */
export const openaiModerations = { client, upstream } as const satisfies Format;
