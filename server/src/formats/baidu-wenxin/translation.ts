import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of Baidu's Wenxin workshop, the first version of Qianfan. */
export const baiduWenxin = {
  upstream: {
    framing: "sse",
    accepts: { stream: "text/event-stream", whole: "application/json" },
    bounds: { stopsMax: () => 4 },
    requests: writtenRequests({ limits: ["max_output_tokens"] }),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
