import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The native format of Ollama. */
export const ollama = {
  upstream: {
    framing: "json-lines",
    accepts: { stream: "application/x-ndjson", whole: "application/json" },
    requests: writtenRequests({ settings: ["options"], settingLimits: ["num_predict"] }),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
