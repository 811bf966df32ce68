import type { RequestFields } from "#formats/format.ts";

export const fields: RequestFields = {
  messages: "messages",
  outputLimits: ["max_tokens", "max_completion_tokens"],
  // Fields of other formats too: many servers that speak this one also read those. Text in any
  // other field is a name, an id or media.
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
  // An upstream that streams otherwise than the client asked cannot be read.
  keptByOverride: ["stream", "stream_options"],
};
