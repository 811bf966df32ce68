import type { StreamWords } from "#formats/format.ts";
import { addCost } from "./add-cost.ts";
import { assembleStream } from "./assemble-stream.ts";
import { errorBody } from "#formats/shared/errors/openai-error.ts";

/** OpenAI's streams are server-sent events without event names. */
export const stream: StreamWords = {
  contentType: "text/event-stream; charset=utf-8",
  // An SSE comment, which clients ignore.
  keepAlive: new TextEncoder().encode(": keep-alive\n\n"),
  eventEnd: "\n\n",
  errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
  addCost,
  assemble: assembleStream,
};
