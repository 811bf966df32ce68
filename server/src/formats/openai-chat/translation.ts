/** OpenAI's chat completions as a format of translation: its client half and its upstream half. */

import type { ClientTranslation, Translation } from "#formats/translation.ts";
import { carriedFields, parseRequest } from "./client/parse-request.ts";
import { withThinkingInText } from "./client/thinking-in-text.ts";
import { writeAnswer } from "./client/write-answer.ts";
import { openStreamWriter } from "./client/write-stream.ts";
import { openaiChat as passed } from "./openai-chat.ts";
import { isThinkingModel } from "#formats/shared/upstream/openai-thinking.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { hostedBy } from "./upstream/write-search.ts";
import { writeRequest } from "./upstream/write-request.ts";

const client: ClientTranslation = {
  carries: carriedFields,
  parseRequest,
  openStreamWriter,
  writeAnswer,
};

export const openaiChat = {
  client,
  textClient: withThinkingInText(client),
  upstream: {
    framing: "sse",
    accepts: passed.upstream.accepts,
    // Models that think refuse the field.
    bounds: {
      files: "openai",
      hosted: hostedBy,
      stopsMax: (model) => (isThinkingModel(model) ? 0 : 4),
    },
    requests: passed.client,
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
