/** Where the fields that the relay needs are in a request of chat completions. */

import type { RequestFields } from "#formats/format.ts";

export const fields: RequestFields = {
  messages: "messages",
  outputLimits: ["max_tokens", "max_completion_tokens"],
  // Fields of other formats with text for the model are listed too, because many servers of this
  // format read them as well. Fields that are not listed contain names, ids or media.
  texts: [
    "content",
    "contents",
    "input",
    "instructions",
    "messages",
    "parts",
    "prompt",
    "suffix",
    "system",
    "systemInstruction",
    "system_instruction",
    "text",
  ],
  // An override must not change these: if it made the upstream stream although the client did not
  // request that, the gateway could not read the answer.
  keptByOverride: ["stream", "stream_options"],
};
