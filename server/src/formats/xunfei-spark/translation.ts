import type { Translation } from "#formats/translation.ts";
import { isLastMessage, openReader, readAnswer } from "./upstream/read-answer.ts";
import { requests, writeRequest } from "./upstream/write-request.ts";

/** The format of Xunfei's Spark over WebSocket: one message asks, and several answer. */
export const xunfeiSpark = {
  upstream: {
    framing: "json-lines",
    streamsOnly: true,
    isLastMessage,
    accepts: { stream: "application/json", whole: "application/json" },
    bounds: { stopsMax: () => 0 },
    requests,
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
