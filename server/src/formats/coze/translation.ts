import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of Coze's bots. A whole answer would have to be polled for, so all are streamed. */
export const coze = {
  upstream: {
    framing: "sse",
    streamsOnly: true,
    accepts: { stream: "text/event-stream", whole: "text/event-stream" },
    bounds: { stopsMax: () => 0 },
    requests: writtenRequests({}),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
