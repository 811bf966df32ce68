import type { JsonObject } from "#base/json.ts";
import type { ClientError, ClientFormat, Format, UpstreamFormat } from "#formats/format.ts";
import { assembleStream } from "#formats/shared/assemble.ts";
import { joinInstructions } from "#formats/shared/body-values.ts";
import { estimateBody, readPromptText } from "#formats/shared/prompt-estimate.ts";
import { readBody, rewriteModel } from "#formats/shared/read-body.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { openAiTiers } from "#formats/shared/tiers/service-tiers.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";
import { errorBody } from "./client/error-body.ts";
import { issuedReader } from "./client/issued.ts";
import { keptReader } from "./client/kept.ts";
import { modelEntry, modelList } from "./client/model-list.ts";
import { responsesNames, responsesWatched } from "./client/named.ts";
import { writeUsage } from "./client/write-items.ts";
import { openReader } from "./upstream/read-answer.ts";
import { otherMode } from "./upstream/other-mode.ts";
import { readUsage } from "./upstream/read-usage.ts";
import { scanSearches } from "./upstream/count-searches.ts";
import { scanByProgram } from "./upstream/resumed-program.ts";

const client: ClientFormat = {
  readRequest: (bytes, path) =>
    readBody(bytes, path, {
      input: "input",
      inputKinds: ["array", "string"],
      namesModel: true,
      watched: responsesWatched,
      limits: ["max_output_tokens"],
      settings: [],
      settingLimits: [],
      settingCounts: [],
      effort: ["reasoning", "effort"],
      tier: openAiTiers,
      unseen: {
        fields: ["conversation", "previous_response_id", "prompt"],
        toolTypes: ["code_interpreter", "file_search", "mcp", "web_search"],
        toolKeys: [],
        toolItems: "input",
      },
    }),
  rewriteRequest: (bytes, body, { model }) => rewriteModel(bytes, body, model),
  readPrompt: readPromptText,
  estimatePrompt: estimateBody,
  smallRequest: (model) => ({ model, input: "hi", max_output_tokens: 64, store: false }),
  addInstructions: (body, text) => ({
    ...body,
    instructions: joinInstructions(text, body["instructions"]),
  }),
  fields: {
    messages: "input",
    outputLimits: ["max_output_tokens"],
    texts: ["content", "input", "instructions", "output", "text"],
    keptByOverride: ["stream"],
  },
  errorBody,
  stream: {
    contentType: "text/event-stream; charset=utf-8",
    keepAlive: new TextEncoder().encode(": keep-alive\n\n"),
    eventEnd: "\n\n",
    assemble: (bytes) => assembleStream({ openReader }, bytes),
    errorEvent: (error) => `event: error\ndata: ${errorEvent(error)}\n\n`,
  },
  usage: {
    field: "usage",
    within: "response",
    mayHave: ({ type }) => type === "response.completed" || type === "response.incomplete",
    write: writeUsage,
  },
  modelList,
  modelEntry,
  issued: issuedReader,
  kept: keptReader,
  names: responsesNames,
  countAnswer: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

/**
 * In streams the error's fields stand at the top of the event; SDKs also look for `error`, and clients
 * of WebSockets for the status.
 */
function errorEvent(given: ClientError): string {
  // Safe cast: the format's own error body.
  const { error } = JSON.parse(errorBody(given)) as { readonly error: JsonObject };
  const { code = null, message = "", param = null } = error;
  const { status } = given;
  return JSON.stringify({ type: "error", status, code, message, param, error });
}

const upstream: UpstreamFormat = {
  accepts: { stream: "text/event-stream", whole: "application/json" },
  openScanner: () =>
    openTreeScanner({
      texts: ["delta", "text", "refusal", "arguments", "input", "result"],
      objects: [],
      ids: ["id", "container_id"],
      placed: "environment",
      skipped: [
        "instructions",
        "tools",
        "metadata",
        "annotations",
        "encrypted_content",
        "logprobs",
        "reasoning",
        "tool_choice",
        "action",
        "results",
      ],
      usage: "usage",
      answering: ["output", "delta", "item", "part", "response"],
      closing: ["response.completed", "response.incomplete"],
      namesTier: true,
      repeating: [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.content_part.added",
        "response.content_part.done",
        "response.output_text.done",
        "response.refusal.done",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_part.done",
        "response.reasoning_summary_text.done",
        "response.reasoning_text.done",
        "response.function_call_arguments.done",
        "response.custom_tool_call_input.done",
        "response.completed",
        "response.incomplete",
        "response.failed",
      ],
      byProgram: scanByProgram,
      searches: { adding: ["response.output_item.done"], count: scanSearches },
    }),
  readUsage,
  readErrorBody,
  otherMode,
};

/** OpenAI's format of Responses. */
export const openaiResponses = { client, upstream } as const satisfies Format;
