/** OpenAI's Responses as a format of translation: its client half and its upstream half. */

import type { Translation } from "#formats/translation.ts";
import { carriedFields, parseRequest } from "./client/parse-request.ts";
import { writeAnswer } from "./client/write-answer.ts";
import { openStreamWriter } from "./client/write-stream.ts";
import { openaiResponses as passed } from "./openai-responses.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

export const openaiResponses = {
  client: { carries: carriedFields, parseRequest, openStreamWriter, writeAnswer },
  upstream: {
    framing: "sse",
    accepts: passed.upstream.accepts,
    bounds: {
      files: "openai",
      hosted: () => ["code-execution", "mcp", "web-search"],
      forcesHosted: true,
      stopsMax: () => 0,
    },
    requests: passed.client,
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
