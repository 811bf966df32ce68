import type { AnswerScanner, Format, UpstreamFormat } from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";
import { otherMode } from "./other-mode.ts";
import { readRequest } from "./read-request.ts";

const client = mediaClient({
  readRequest,
  smallRequest: (model) => ({ model, prompt: "a dot", n: 1 }),
  input: "prompt",
  texts: ["prompt"],
});

/** The largest picture in an event of a stream, as base64. */
const eventBytesMax = 16 * 1024 * 1024;

/** Finds pictures. An event that has a complete one finishes a choice. */
function openPictureScanner(): AnswerScanner {
  const scanner = openTreeScanner({
    texts: ["b64_json", "url"],
    objects: [],
    skipped: [],
    usage: "usage",
    answering: ["data", "images", "b64_json"],
    closing: ["image_generation.completed", "image_edit.completed"],
    repeating: [],
  });
  const { found } = scanner;
  return {
    ...scanner,
    scanEvent(bytes, start, end) {
      scanner.scanEvent(bytes, start, end);
      if (found.done && found.texts.length > 0) found.choices.push(0, 1);
    },
  };
}

const upstream: UpstreamFormat = {
  eventBytesMax,
  accepts: { stream: "text/event-stream", whole: "application/json" },
  openScanner: openPictureScanner,
  readUsage: readMediaUsage,
  readErrorBody,
  otherMode,
};

/** OpenAI's format for pictures: generations, edits and variations. */
export const openaiImages = { client, upstream } as const satisfies Format;
