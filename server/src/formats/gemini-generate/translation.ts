/** Gemini's generateContent as a format of translation: its client half and its upstream half. */

import type { Translation } from "#formats/translation.ts";
import { carriedFields, parseRequest } from "./client/parse-request.ts";
import { writeAnswer } from "./client/write-answer.ts";
import { openStreamWriter } from "./client/write-stream.ts";
import { geminiGenerate as passed } from "./gemini-generate.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { hostedBy, writeRequest } from "./upstream/write-request.ts";

export const geminiGenerate = {
  client: { carries: carriedFields, parseRequest, openStreamWriter, writeAnswer },
  upstream: {
    framing: "sse",
    accepts: passed.upstream.accepts,
    bounds: {
      files: "google",
      hosted: hostedBy,
      stopsMax: () => 5,
      takesAnyRoot: true,
    },
    requests: passed.client,
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
