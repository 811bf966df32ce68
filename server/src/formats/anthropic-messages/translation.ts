/** Anthropic's Messages as a format of translation: its client half and its upstream half. */

import type { Translation } from "#formats/translation.ts";
import { carriedFields, parseRequest } from "./client/parse-request.ts";
import { writeAnswer } from "./client/write-answer.ts";
import { openStreamWriter } from "./client/write-stream.ts";
import { anthropicMessages as passed } from "./anthropic-messages.ts";
import { hostedBy } from "./upstream/write-hosted.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

export const anthropicMessages = {
  client: { carries: carriedFields, parseRequest, openStreamWriter, writeAnswer },
  upstream: {
    framing: "sse",
    accepts: passed.upstream.accepts,
    bounds: {
      files: "anthropic",
      hosted: hostedBy,
      forcesHosted: true,
      endUserMax: 256,
    },
    requests: passed.client,
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
