/**
 * The generic request for a video, `POST /v1/video/generations`. It is the same for all platforms:
 * each reads it into a submission of its own.
 */

import { fieldsOf, listOf, textOf, wholeOf, without } from "./read-json.ts";

export type VideoWish = {
  readonly model: string;
  readonly prompt: string;
  /** Addresses of pictures, or pictures as data URLs. The first is the video's first picture. */
  readonly images: readonly string[];
  /** As the client wrote it; empty: none. */
  readonly seconds: string;
  /** Such as `1280x720`, or a word of the platform such as `720p`; empty: none. */
  readonly size: string;
  /** Fields that only some platforms know. They go on as they are. */
  readonly others: Readonly<Record<string, unknown>>;
};

/** Fields that every platform reads, and those that none of them may be sent. */
const readFields = [
  ...(["model", "prompt", "image", "images", "duration", "seconds"] as const),
  ...(["size", "width", "height", "metadata", "n", "callback_url"] as const),
];

/** Reads the request. The members of `metadata` are fields of the platform itself. */
export function readWish(body: Readonly<Record<string, unknown>>): VideoWish {
  const [width, height] = [wholeOf(body["width"]), wholeOf(body["height"])];
  const images = [body["image"], ...listOf(body["images"])].map(textOf);
  return {
    model: textOf(body["model"]),
    prompt: textOf(body["prompt"]),
    images: [...new Set(images)].filter((image) => image !== ""),
    seconds: textOf(body["seconds"]) || textOf(body["duration"]),
    size: textOf(body["size"]) || (width > 0 && height > 0 ? `${width}x${height}` : ""),
    others: { ...fieldsOf(body["metadata"]), ...without(body, readFields) },
  };
}

/** A field for the body, unless the client named nothing. */
export function given(name: string, value: string): Readonly<Record<string, string>> {
  return value === "" ? {} : { [name]: value };
}

type Size = { readonly width: number; readonly height: number };

/** Reads `1280x720` or `16:9`. Undefined: it is neither. */
export function readSize(size: string): Size | undefined {
  const [, width, height] = /^(\d{1,5})[x:*](\d{1,5})$/.exec(size) ?? [];
  const read = { width: Number(width), height: Number(height) };
  return read.width > 0 && read.height > 0 ? read : undefined;
}

/** Returns the ratio, such as `16:9`, that is nearest to the size. */
export function nearestRatio({ width, height }: Size, ratios: readonly string[]): string {
  const wanted = Math.log(width / height);
  const distance = (ratio: string): number => {
    const size = readSize(ratio);
    return size === undefined ? Infinity : Math.abs(Math.log(size.width / size.height) - wanted);
  };
  return ratios.toSorted((one, other) => distance(one) - distance(other))[0] ?? "";
}
