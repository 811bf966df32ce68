import type { ClientFormat, Format, UpstreamFormat } from "#formats/format.ts";
import { assembleStream } from "#formats/shared/assemble.ts";
import { estimateBody, readPromptText } from "#formats/shared/prompt-estimate.ts";
import { readBody } from "#formats/shared/read-body.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { geminiTiers } from "#formats/shared/tiers/service-tiers.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";
import { errorBody } from "#formats/shared/errors/gemini-error.ts";
import { addInstructions } from "./client/add-instructions.ts";
import { issuedReader } from "./client/issued.ts";
import { modelEntry, modelList } from "./client/model-list.ts";
import { geminiNames, geminiWatched } from "./client/named.ts";
import { writeUsage } from "./client/write-answer.ts";
import { openListWriter } from "./client/write-list.ts";
import { openReader } from "./upstream/read-answer.ts";
import { scanQueries } from "./upstream/read-grounding.ts";
import { otherMode } from "./upstream/other-mode.ts";
import { readTier } from "./upstream/read-tier.ts";
import { readUsage } from "./upstream/read-usage.ts";

const events: ClientFormat = {
  readRequest: (bytes, path) =>
    readBody(bytes, path, {
      input: "contents",
      inputKinds: ["array", "object"],
      namesModel: false,
      watched: geminiWatched,
      limits: [],
      settings: ["generationConfig", "generation_config"],
      settingLimits: ["maxOutputTokens", "max_output_tokens"],
      settingCounts: ["candidateCount", "candidate_count"],
      effort: ["generationConfig", "thinkingConfig", "thinkingLevel"],
      tier: geminiTiers,
      unseen: {
        fields: ["cachedContent", "cached_content"],
        toolTypes: [],
        toolKeys: [
          "codeExecution",
          "code_execution",
          "fileSearch",
          "file_search",
          "googleSearch",
          "google_search",
          "googleSearchRetrieval",
          "google_search_retrieval",
          "googleMaps",
          "google_maps",
          "urlContext",
          "url_context",
        ],
      },
    }),
  // The path names the model.
  rewriteRequest: (bytes) => bytes,
  readPrompt: readPromptText,
  estimatePrompt: estimateBody,
  smallRequest: () => ({
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 300 },
  }),
  addInstructions,
  fields: {
    messages: "contents",
    outputLimits: [],
    texts: ["contents", "parts", "systemInstruction", "system_instruction", "text"],
    keptByOverride: [],
  },
  errorBody,
  stream: {
    contentType: "text/event-stream; charset=utf-8",
    keepAlive: new TextEncoder().encode(": keep-alive\n\n"),
    eventEnd: "\n\n",
    assemble: (bytes) => assembleStream({ openReader }, bytes),
    errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
  },
  usage: {
    field: "usageMetadata",
    mayHave: (event) => event["candidates"] !== undefined,
    event: (usageMetadata, modelVersion) => ({ usageMetadata, modelVersion }),
    write: writeUsage,
  },
  modelList,
  modelEntry,
  issued: issuedReader,
  names: geminiNames,
  countAnswer: (tokens) => ({ totalTokens: tokens }),
};

/** Without `alt=sse` in the query, a stream is one JSON list, and so is an error before it. */
const listed: ClientFormat = {
  ...events,
  errorBody: (error) => `[${errorBody(error)}]`,
  stream: {
    ...events.stream,
    contentType: "application/json; charset=utf-8",
    openReframer: openListWriter,
  },
};

const client: ClientFormat = { ...events, listed };

const upstream: UpstreamFormat = {
  accepts: { stream: "text/event-stream", whole: "application/json" },
  openScanner: () =>
    openTreeScanner({
      texts: ["text"],
      thought: "thought",
      objects: ["args"],
      issued: ["thoughtSignature"],
      skipped: ["groundingMetadata", "safetyRatings", "citationMetadata", "logprobsResult"],
      usage: "usageMetadata",
      answering: ["candidates", "promptFeedback"],
      finished: "finishReason",
      queries: { key: "groundingMetadata", count: scanQueries },
      closing: [],
      repeating: [],
    }),
  readUsage,
  readTier,
  readErrorBody,
  otherMode,
};

/** Google's format: generateContent. */
export const geminiGenerate = { client, upstream } as const satisfies Format;
