/** Reads requests for pictures, as JSON or as forms, and what they cost. */

import { unseenTokensMax } from "#canonical/usage.ts";
import type { BodyRefusal, RequestBody, RequestPath, Work } from "#formats/format.ts";
import { type BodyFields, isForm, openBodyFields } from "#formats/shared/media/body-fields.ts";
import { countMedia } from "#formats/shared/count-media.ts";

/** The most pictures of one call. */
const picturesMax = 10;
const partialImagesMax = 3;
/** The most pictures that one call may send along. */
const sentPicturesMax = 16;

const keys = [
  "image",
  "images",
  "mask",
  "model",
  "n",
  "partial_images",
  "prompt",
  "quality",
  "size",
  "stream",
];

/** The model of requests that name none, as OpenAI's API has it. */
const modelDefault = "dall-e-2";

export function readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  const { files, modality } = path;
  const code = "invalid_image_request";
  const fields = openBodyFields(bytes, keys, { code, isForm: isForm(path) });
  const model = fields.model(path.model ?? modelDefault);
  if (modality !== "image-variations") fields.required("prompt", ["string"]);
  const count = fields.whole("n", { min: 1, max: picturesMax, absent: 1 });
  const partial = fields.whole("partial_images", { min: 0, max: partialImagesMax, absent: 0 });
  const stream = fields.flag("stream");
  const size = fields.text("size");
  const quality = fields.text("quality");
  if (!isSize(size)) fields.refuse("size", "size must be auto or WIDTHxHEIGHT, such as 1024x1024");
  if (!qualities.has(quality)) {
    fields.refuse("quality", `quality must be one of ${[...qualities].filter(Boolean).join(", ")}`);
  }
  const media = countMedia(bytes);
  if (modality !== "images") checkPictures(fields, path);
  const sent = media.count + (files?.length ?? 0);
  if (sent > sentPicturesMax) fields.refuse("image", `at most ${sentPicturesMax} images are taken`);
  const refusal = fields.refusal();
  if (refusal !== undefined) return refusal;
  return {
    modality,
    model,
    stream,
    answerCount: count,
    maxTokens: null,
    wantsUsage: true,
    textBytes: bytes.length - media.byteCount,
    mediaParts: sent,
    hasUnseenInput: false,
    work: workOf({ model, count, partial, size, quality, sent, textBytes: bytes.length }),
    spans: fields.values,
  };
}

/** Requires the picture that is to be edited. */
function checkPictures(fields: BodyFields, { files }: RequestPath): void {
  if (files === undefined) {
    const name = fields.values.has("images") ? "images" : "image";
    fields.required(name, ["array", "object", "string"]);
  } else if (!files.some(({ name }) => name === "image" || name === "image[]")) {
    fields.refuse("image", "field image is required, as a file");
  }
}

/** The longest side of a picture, in pixels. */
const sideMax = 4_096;

function isSize(size: string): boolean {
  if (size === "" || size === "auto") return true;
  const sides = /^(\d{2,4})x(\d{2,4})$/.exec(size);
  return sides !== null && [sides[1], sides[2]].every((side) => Number(side) <= sideMax);
}

const qualities: ReadonlySet<string> = new Set([
  "",
  "auto",
  "hd",
  "high",
  "low",
  "medium",
  "standard",
]);

/** By how much a picture costs more than one of 1024 × 1024, in thousandths. */
const sizeFactors: ReadonlyMap<string, number> = new Map([
  ["256x256", 400],
  ["512x512", 450],
  ["1024x1792", 2_000],
  ["1792x1024", 2_000],
]);

/**
 * How much more a picture of a quality costs than one of `standard`, in thousandths: dall-e-3's
 * `hd` twice as much, and 1.5 times as much where the size has already doubled the price.
 */
function qualityFactor(model: string, size: string, quality: string): number {
  if (quality !== "hd" || !model.startsWith("dall-e-3")) return 1_000;
  return sizeFactors.get(size) === 2_000 ? 1_500 : 2_000;
}

/** A picture of 1024 × 1024 costs as many input tokens where the price is by tokens. */
const tokensPerPicture = 1_250;

/** The most output tokens of a picture; the largest of gpt-image-1 has 6,240. */
const outputTokensMax = 6_600;
/** Each picture that is shown before it is complete costs as many output tokens. */
const partialTokens = 100;
/** The most input tokens of a picture that is sent along. */
const pictureTokensMax = 10_000;

type PictureRequest = {
  readonly model: string;
  readonly count: number;
  readonly partial: number;
  readonly size: string;
  readonly quality: string;
  readonly sent: number;
  readonly textBytes: number;
};

function workOf({ model, count, partial, size, quality, sent, textBytes }: PictureRequest): Work {
  const each = ((sizeFactors.get(size) ?? 1_000) * qualityFactor(model, size, quality)) / 1_000;
  const callThousandths = each * count;
  return {
    callThousandths,
    input: Math.ceil((tokensPerPicture * callThousandths) / 1_000),
    inputMax: textBytes + sent * pictureTokensMax + unseenTokensMax,
    outputMax: count * (outputTokensMax + partial * partialTokens),
  };
}
