import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of apps made with Dify: chats, completions and workflows. */
export const dify = {
  upstream: {
    framing: "sse",
    accepts: { stream: "text/event-stream", whole: "application/json" },
    bounds: { stopsMax: () => 0 },
    requests: writtenRequests({}),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
