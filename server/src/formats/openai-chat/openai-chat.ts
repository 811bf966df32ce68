import type { ClientFormat, Format, UpstreamFormat } from "#formats/format.ts";
import { errorBody } from "#formats/shared/errors/openai-error.ts";
import { addInstructions } from "./client/add-instructions.ts";
import { estimatePrompt } from "./client/estimate-prompt.ts";
import { modelEntry, modelList } from "./client/model-list.ts";
import { chatNames } from "./client/named.ts";
import { readPrompt } from "./client/prompt-text.ts";
import { readRequest } from "./client/read-request.ts";
import { fields } from "./client/request-fields.ts";
import { rewriteRequest } from "./client/rewrite-request.ts";
import { smallRequest } from "./client/small-request.ts";
import { stream } from "./client/stream-words.ts";
import { writeUsage } from "./client/write-usage.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { otherMode } from "./upstream/other-mode.ts";
import { readUsage } from "./upstream/read-usage.ts";
import { openScanner } from "./upstream/scan-answer.ts";

const client = {
  readRequest,
  rewriteRequest,
  readPrompt,
  estimatePrompt,
  smallRequest,
  addInstructions,
  fields,
  errorBody,
  stream,
  usage: {
    field: "usage",
    event: (usage, model) => ({
      id: "",
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [],
      usage,
    }),
    write: writeUsage,
  },
  modelList,
  modelEntry,
  names: chatNames,
} as const satisfies ClientFormat;

const upstream: UpstreamFormat = {
  accepts: { stream: "text/event-stream", whole: "application/json" },
  openScanner,
  readUsage,
  readErrorBody,
  otherMode,
};

/**
 * OpenAI's format: chat completions, completions and embeddings. They share usage objects and
 * errors.
 */
export const openaiChat = { client, upstream } as const satisfies Format;
