import type { ClientFormat, Format, UpstreamFormat } from "#formats/format.ts";
import { assembleStream } from "#formats/shared/assemble.ts";
import { joinInstructions } from "#formats/shared/body-values.ts";
import { estimateBody, readPromptText } from "#formats/shared/prompt-estimate.ts";
import { readBody, rewriteModel } from "#formats/shared/read-body.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { anthropicTiers } from "#formats/shared/tiers/service-tiers.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";
import { errorBody } from "./client/error-body.ts";
import { issuedReader } from "./client/issued.ts";
import { modelEntry, modelList } from "./client/model-list.ts";
import { messagesNames, messagesWatched } from "./client/named.ts";
import { openReader } from "./upstream/read-answer.ts";
import { otherMode } from "./upstream/other-mode.ts";
import { readTier } from "./upstream/read-tier.ts";
import { mergeUsage, readUsage } from "./upstream/read-usage.ts";
import { reportOf } from "#formats/shared/token-counts.ts";
import { writeUsage } from "./client/write-answer.ts";

const client: ClientFormat = {
  readRequest: (bytes, path) =>
    readBody(bytes, path, {
      input: "messages",
      // Formats whose instructions are messages take these alone.
      inputInstead: "system",
      inputKinds: ["array"],
      namesModel: true,
      watched: messagesWatched,
      limits: ["max_tokens"],
      settings: [],
      settingLimits: [],
      settingCounts: [],
      effort: ["output_config", "effort"],
      tier: anthropicTiers,
      unseen: {
        fields: ["container", "mcp_servers"],
        toolTypes: ["code_execution_", "mcp_", "tool_search_", "web_"],
        toolKeys: [],
      },
    }),
  rewriteRequest: (bytes, body, { model }) => rewriteModel(bytes, body, model),
  readPrompt: readPromptText,
  estimatePrompt: estimateBody,
  smallRequest: (model) => ({
    model,
    max_tokens: 16,
    messages: [{ role: "user", content: "hi" }],
  }),
  addInstructions: (body, text) => {
    const { system } = body;
    const joined = Array.isArray(system)
      ? [{ type: "text", text }, ...system]
      : joinInstructions(text, system);
    return { ...body, system: joined };
  },
  fields: {
    messages: "messages",
    outputLimits: ["max_tokens"],
    texts: ["content", "messages", "system", "text"],
    keptByOverride: ["stream"],
  },
  errorBody,
  stream: {
    contentType: "text/event-stream; charset=utf-8",
    keepAlive: new TextEncoder().encode('event: ping\ndata: {"type":"ping"}\n\n'),
    eventEnd: "\n\n",
    assemble: (bytes) => assembleStream({ openReader }, bytes),
    errorEvent: (error) => `event: error\ndata: ${errorBody(error)}\n\n`,
  },
  usage: {
    field: "usage",
    mayHave: ({ type }) => type === "message_delta",
    write: writeUsage,
  },
  modelList,
  modelEntry,
  issued: issuedReader,
  names: messagesNames,
  countAnswer: (tokens) => ({ input_tokens: tokens }),
};

const upstream: UpstreamFormat = {
  accepts: { stream: "text/event-stream", whole: "application/json" },
  openScanner: () =>
    openTreeScanner({
      texts: ["text", "thinking", "partial_json"],
      objects: ["input"],
      issued: ["data", "signature"],
      named: "container",
      skipped: ["citations", "citation", "context_management"],
      usage: "usage",
      answering: ["content", "delta", "content_block", "message"],
      closing: ["message_stop"],
      repeating: [],
    }),
  readUsage,
  seenUsage: (last, first) => mergeUsage(reportOf(first), reportOf(last)),
  usageEvent: "message_delta",
  readTier,
  readErrorBody,
  otherMode,
};

/** Anthropic's format: Messages. */
export const anthropicMessages = { client, upstream } as const satisfies Format;
