import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of Google's PaLM, which answers whole: a client's stream gets all text at once. */
export const palm = {
  upstream: {
    framing: "whole-body",
    accepts: { stream: "application/json", whole: "application/json" },
    bounds: { stopsMax: () => 0 },
    requests: writtenRequests({}),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
