import type { RequestFields } from "#formats/format.ts";

export const fields: RequestFields = {
  messages: "messages",
  outputLimits: ["max_tokens", "max_completion_tokens"],
  // Fields of other formats are included, because many servers of this format read them as well.
  // All other fields contain names, ids or media.
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
  // If the upstream streamed although the client did not request it, the answer could not be read.
  keptByOverride: ["stream", "stream_options"],
};
