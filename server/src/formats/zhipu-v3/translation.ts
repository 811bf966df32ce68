import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of Zhipu's API before version 4, which only the first models of ChatGLM have. */
export const zhipuV3 = {
  upstream: {
    framing: "meta-events",
    accepts: { stream: "text/event-stream", whole: "application/json" },
    bounds: { stopsMax: () => 0 },
    requests: writtenRequests({}),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
