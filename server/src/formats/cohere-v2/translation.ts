import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** Cohere's chat format, version 2. */
export const cohereV2 = {
  upstream: {
    framing: "sse",
    accepts: { stream: "text/event-stream", whole: "application/json" },
    bounds: { stopsMax: () => 5 },
    requests: writtenRequests({ limits: ["max_tokens"] }),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
