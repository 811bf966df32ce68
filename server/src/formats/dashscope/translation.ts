import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The native format of Alibaba's DashScope. */
export const dashscope = {
  upstream: {
    framing: "sse",
    // This type, and no field of the body, asks for a stream.
    accepts: { stream: "text/event-stream", whole: "application/json" },
    requests: writtenRequests({ settings: ["parameters"], settingLimits: ["max_tokens"] }),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
