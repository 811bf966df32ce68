/**
 * The paths that client programs call. Each has one line: method, path, the wire format of its
 * clients, and what they ask for. Folders of platforms of tasks follow from their registry.
 */

import type { Modality } from "#canonical/modality.ts";
import type { ClientFormatId, LiveFormatId } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import { readTarget } from "#http/target.ts";
import { taskFolders } from "#platforms/registry.ts";

/** What a request to the relay asks for. `format` is also the format of error answers. */
export type Ingress = { readonly format: ClientFormatId } & (
  | CallIngress
  | { readonly kind: "models" }
  /** A question for the number of tokens of a prompt. */
  | { readonly kind: "count"; readonly model: string | null }
  | { readonly kind: "model"; readonly model: string }
  /** A query for the key's balance or spending. */
  | { readonly kind: "billing"; readonly query: BillingQuery }
  /** A realtime session over a WebSocket. */
  | { readonly kind: "realtime"; readonly format: LiveFormatId }
  /** A WebSocket over which responses are asked for. */
  | { readonly kind: "responses-socket" }
  /** A WebSocket where there is none. `needsSocket`: the path is for those that ask for one. */
  | { readonly kind: "no-socket"; readonly needsSocket: boolean }
  /** A request about an answer that the gateway keeps. */
  | { readonly kind: "kept"; readonly ask: KeptAsk; readonly id: string }
  /** A question for usage and cost of a call of the key. */
  | { readonly kind: "generation" }
  /** A request about an asynchronous task; its platform reads the path. */
  | { readonly kind: "task" }
  | { readonly kind: "preflight" }
  /** A path that client programs know, but that this gateway does not serve. */
  | { readonly kind: "unimplemented" }
  | { readonly kind: "unknown" }
);

export type CallIngress = {
  readonly kind: "call";
  readonly format: ClientFormatId;
  readonly modality: Modality;
  /** The model named in the URL's path; null: the request's body names it. */
  readonly model: string | null;
  /** Whether the path asks for a stream; absent: the request's body says it. */
  readonly stream?: boolean;
  /** Whether the body may be a form with files. */
  readonly takesForm?: boolean;
};

export type BillingQuery = "subscription" | "usage";

/** What can be asked about an answer that the gateway keeps. */
export type KeptAsk = "delete-kept" | "list-kept-input" | "read-kept";

type Row = {
  readonly method: "DELETE" | "GET" | "POST";
  /**
   * The path without a trailing slash. `*` stands for one segment, `**` for several.
   */
  readonly path: string;
} & (
  | { readonly format: LiveFormatId; readonly to: "realtime" }
  | {
      readonly format: ClientFormatId;
      readonly to:
        | BillingQuery
        | Exclude<Modality, "realtime">
        | KeptAsk
        | "count"
        | "generation"
        | "model"
        | "models"
        | "responses-socket"
        | "task"
        | "unimplemented";
    }
);

const openai = "openai-chat";
const gemini = "gemini-generate";
const messages = "anthropic-messages";
const responses = "openai-responses";
const audio = "openai-audio";
const compact = "openai-compact";
const images = "openai-images";
const many = "gemini-vectors";
const embedsOne = "gemini-vector";
const cohereVectors = "cohere-vectors";
const realtime = "openai-realtime";
const live = "gemini-live";
const liveAlpha = "gemini-live-alpha";
const liveVertex = "gemini-live-vertex";
const moderations = "openai-moderations";
const reranks = "rerank";

/** Every line, for those who describe what can be called. */
export const rows: readonly Row[] = [
  { method: "GET", path: "/dashboard/billing/subscription", format: openai, to: "subscription" },
  { method: "GET", path: "/dashboard/billing/usage", format: openai, to: "usage" },
  { method: "POST", path: "/v1/audio/speech", format: audio, to: "speech" },
  { method: "POST", path: "/v1/audio/transcriptions", format: audio, to: "transcriptions" },
  { method: "POST", path: "/v1/audio/translations", format: audio, to: "translations" },
  { method: "POST", path: "/v1/chat/completions", format: openai, to: "chat" },
  { method: "POST", path: "/v1/completions", format: openai, to: "completions" },
  { method: "GET", path: "/v1/dashboard/billing/subscription", format: openai, to: "subscription" },
  { method: "GET", path: "/v1/dashboard/billing/usage", format: openai, to: "usage" },
  { method: "POST", path: "/v1/embeddings", format: openai, to: "embeddings" },
  { method: "POST", path: "/v1/engines/*/embeddings", format: openai, to: "embeddings" },
  { method: "GET", path: "/v1/generation", format: openai, to: "generation" },
  { method: "POST", path: "/v1/images/edits", format: images, to: "image-edits" },
  { method: "POST", path: "/v1/images/generations", format: images, to: "images" },
  { method: "POST", path: "/v1/images/variations", format: images, to: "image-variations" },
  { method: "POST", path: "/v1/messages", format: messages, to: "chat" },
  { method: "POST", path: "/v1/messages/count_tokens", format: messages, to: "count" },
  { method: "GET", path: "/v1/models", format: openai, to: "models" },
  { method: "GET", path: "/v1/models/**", format: openai, to: "model" },
  { method: "POST", path: "/v1/models/**:batchEmbedContents", format: many, to: "embeddings" },
  { method: "POST", path: "/v1/models/**:countTokens", format: gemini, to: "count" },
  { method: "POST", path: "/v1/models/**:embedContent", format: embedsOne, to: "embeddings" },
  { method: "POST", path: "/v1/models/**:generateContent", format: gemini, to: "chat" },
  { method: "POST", path: "/v1/models/**:streamGenerateContent", format: gemini, to: "chat" },
  { method: "POST", path: "/v1/moderations", format: moderations, to: "moderations" },
  { method: "GET", path: "/v1/realtime", format: realtime, to: "realtime" },
  { method: "POST", path: "/v1/rerank", format: reranks, to: "rerank" },
  { method: "GET", path: "/v1/responses", format: responses, to: "responses-socket" },
  { method: "POST", path: "/v1/responses", format: responses, to: "chat" },
  { method: "DELETE", path: "/v1/responses/*", format: responses, to: "delete-kept" },
  { method: "GET", path: "/v1/responses/*", format: responses, to: "read-kept" },
  { method: "GET", path: "/v1/responses/*/input_items", format: responses, to: "list-kept-input" },
  { method: "POST", path: "/v1/responses/compact", format: compact, to: "compact" },
  { method: "POST", path: "/v1/responses/input_tokens", format: responses, to: "count" },
  { method: "GET", path: "/v1/tasks/**", format: openai, to: "task" },
  { method: "POST", path: "/v1/video/generations", format: openai, to: "task" },
  { method: "GET", path: "/v1/video/generations/*", format: openai, to: "task" },
  { method: "GET", path: "/v1/videos", format: openai, to: "task" },
  { method: "POST", path: "/v1/videos", format: openai, to: "task" },
  { method: "DELETE", path: "/v1/videos/**", format: openai, to: "task" },
  { method: "GET", path: "/v1/videos/**", format: openai, to: "task" },
  { method: "POST", path: "/v1/videos/**", format: openai, to: "task" },
  { method: "GET", path: "/v1beta/models", format: gemini, to: "models" },
  { method: "GET", path: "/v1beta/models/**", format: gemini, to: "model" },
  { method: "POST", path: "/v1beta/models/**:batchEmbedContents", format: many, to: "embeddings" },
  { method: "POST", path: "/v1beta/models/**:countTokens", format: gemini, to: "count" },
  { method: "POST", path: "/v1beta/models/**:embedContent", format: embedsOne, to: "embeddings" },
  { method: "POST", path: "/v1beta/models/**:generateContent", format: gemini, to: "chat" },
  { method: "POST", path: "/v1beta/models/**:streamGenerateContent", format: gemini, to: "chat" },
  { method: "POST", path: "/v2/embed", format: cohereVectors, to: "embeddings" },
  { method: "POST", path: "/v2/rerank", format: reranks, to: "rerank" },
  {
    method: "GET",
    path: "/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContent",
    format: liveAlpha,
    to: "realtime",
  },
  {
    method: "GET",
    path: "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
    format: live,
    to: "realtime",
  },
  {
    method: "GET",
    path: "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent",
    format: liveVertex,
    to: "realtime",
  },
  { method: "POST", path: "/v1/edits", format: openai, to: "unimplemented" },
  { method: "DELETE", path: "/v1/models/**", format: openai, to: "unimplemented" },
  ...taskFolders.flatMap((folder): Row[] => [
    { method: "GET", path: `/${folder}/**`, format: openai, to: "task" },
    { method: "POST", path: `/${folder}/**`, format: openai, to: "task" },
  ]),
];

/**
 * Path prefixes that client programs know and below which this gateway serves nothing else,
 * whatever the method: files, batches, fine-tuning, and what providers keep for their clients.
 */
const unimplementedPrefixes = [
  "/upload/v1beta",
  "/v1/assistants",
  "/v1/batches",
  "/v1/containers",
  "/v1/conversations",
  "/v1/evals",
  "/v1/files",
  "/v1/fine-tunes",
  "/v1/fine_tuning",
  "/v1/messages/batches",
  "/v1/realtime",
  "/v1/responses",
  "/v1/skills",
  "/v1/threads",
  "/v1/uploads",
  "/v1/vector_stores",
  "/v1beta/batches",
  "/v1beta/cachedContents",
  "/v1beta/fileSearchStores",
  "/v1beta/files",
  "/v1beta/interactions",
  "/v1beta/tunedModels",
  "/ws",
];

/** Returns the format of the clients that know a path below which nothing is served. */
function formatBelow(prefix: string): ClientFormatId {
  if (prefix.includes("v1beta") || prefix === "/ws") return gemini;
  return prefix.startsWith("/v1/messages") ? messages : openai;
}

/** Ends of paths that say whether the client wants a stream, instead of the body. */
const streamEnds = { ":generateContent": false, ":streamGenerateContent": true } as const;

/** What clients ask for with a form, which contains a file. */
const formModalities: ReadonlySet<string> = new Set<Modality>([
  "image-edits",
  "image-variations",
  "transcriptions",
  "translations",
]);

/** What paths without a wildcard ask for, by method and path. Nearly all calls use them. */
const exact: ReadonlyMap<string, ReadonlyMap<string, Ingress>> = new Map(
  ["DELETE", "GET", "POST"].map((method) => {
    const own = rows.filter((row) => row.method === method && !row.path.includes("*"));
    return [method, new Map(own.map((row) => [row.path, ingressOf(row, null)]))];
  }),
);
const patterns = rows.filter((row) => row.path.includes("*"));

/** The longest model name in a path, in characters. Names may contain `/` and `:`. */
const modelLengthMax = 255;

/**
 * Finds what a request asks for by its method and path.
 *
 * @param pathname as received, still percent-encoded.
 */
export function findIngress(method: string, pathname: string): Ingress {
  if (method === "OPTIONS") return { kind: "preflight", format: openai };
  const path = plainPath(pathname);
  return exact.get(method)?.get(path) ?? findPattern(method, path);
}

/** A mode, such as `fast`, before the paths of Midjourney. */
const drawingMode = /^\/(?!api\/)[\w-]+\/mj\//;

function findPattern(method: string, given: string): Ingress {
  const path = given.replace(drawingMode, "/mj/");
  for (const pattern of patterns) {
    const model = pattern.method === method ? matchPattern(pattern.path, path) : undefined;
    if (model !== undefined) return ingressOf(pattern, model);
  }
  const known = aliasOf(path);
  if (known !== undefined) return exact.get(method)?.get(known) ?? findPattern(method, known);
  const prefix = unimplementedPrefixes.find((each) => path === each || path.startsWith(`${each}/`));
  if (prefix !== undefined) return { kind: "unimplemented", format: formatBelow(prefix) };
  const isGemini = path.startsWith("/v1beta/");
  return { kind: "unknown", format: isGemini ? gemini : openai };
}

/**
 * Other beginnings of the paths above, as clients of Azure and Vertex and of Gemini's layer for
 * OpenAI's clients write them. `$1` is the deployment of Azure, which the body names as well.
 */
const aliases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^\/v1beta\/openai\//, "/v1/"],
  [/^\/openai\/v1\//, "/v1/"],
  [/^\/openai\/deployments\/([^/]+)\/embeddings$/, "/v1/engines/$1/embeddings"],
  [/^\/openai\/(?:deployments\/[^/]+\/)?/, "/v1/"],
  [
    /^\/v1(?:beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models\//,
    "/v1beta/models/",
  ],
];

/** Returns the path among those above that a path stands for. Undefined: it stands for itself. */
function aliasOf(path: string): string | undefined {
  const alias = aliases.find(([pattern]) => pattern.test(path));
  return alias === undefined ? undefined : path.replace(alias[0], alias[1]);
}

function ingressOf({ format, path, to }: Row, model: string | null): Ingress {
  if (to === "count") return { kind: to, format, model };
  if (to === "task") return { kind: to, format };
  if (to === "realtime") return { kind: to, format };
  if (to === "unimplemented") return { kind: to, format };
  if (to === "generation") return { kind: to, format };
  if (to === "responses-socket") return { kind: to, format };
  if (to === "subscription" || to === "usage") return { kind: "billing", format, query: to };
  if (to === "delete-kept" || to === "list-kept-input" || to === "read-kept") {
    return { kind: "kept", format, ask: to, id: model ?? "" };
  }
  if (to === "model" && model !== null) return { kind: to, format, model };
  if (to === "model" || to === "models") return { kind: "models", format };
  const form = formModalities.has(to) ? { takesForm: true } : {};
  const call = { kind: "call", format, modality: to, model, ...form } as const;
  const end = Object.entries(streamEnds).find(([ending]) => path.endsWith(ending));
  return end === undefined ? call : { ...call, stream: end[1] };
}

/**
 * What a call from the console's playground asks for. Its path is not among the relay's paths
 * above.
 */
export const playgroundIngress: CallIngress = {
  kind: "call",
  format: openai,
  modality: "chat",
  model: null,
};

/** Removes trailing slashes and repeated leading ones, both of which some clients send. */
function plainPath(pathname: string): string {
  let start = 0;
  while (pathname.charCodeAt(start + 1) === slash) start += 1;
  let end = pathname.length;
  while (end > start + 1 && pathname.charCodeAt(end - 1) === slash) end -= 1;
  return start === 0 && end === pathname.length ? pathname : pathname.slice(start, end);
}

const slash = 47;

/**
 * Matches a path against a pattern. Returns the decoded part that the wildcard stands for.
 * Undefined: no match, or not a valid name.
 */
function matchPattern(pattern: string, path: string): string | undefined {
  const star = pattern.indexOf("*");
  const before = pattern.slice(0, star);
  const isRest = pattern[star + 1] === "*";
  const after = pattern.slice(star + (isRest ? 2 : 1));
  if (path.length <= before.length + after.length) return undefined;
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const part = path.slice(before.length, path.length - after.length);
  if (!isRest && part.includes("/")) return undefined;
  return decodeName(part);
}

function decodeName(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part);
    return name.length <= modelLengthMax ? name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the format of a client that asks for models or files. All clients ask for them at the same
 * path, and each kind has a header of its own.
 */
export function clientFormat(format: ClientFormatId, headers: Fields): ClientFormatId {
  if (format !== openai) return format;
  if (headers.get("x-goog-api-key") !== null) return gemini;
  const isMessages = headers.get("anthropic-version") !== null || headers.get("x-api-key") !== null;
  return isMessages ? messages : format;
}

/**
 * Whether the client reads a stream as one JSON list: those of Gemini's format do, unless they ask
 * for events.
 */
export function wantsList(ingress: Ingress, url: string): boolean {
  if (ingress.kind !== "call" || ingress.stream !== true) return false;
  return readTarget(url).query.get("alt") !== "sse";
}

/** Whether clients of several formats ask for this at the same path. */
export function sharesPath({ kind }: Ingress): boolean {
  return kind === "model" || kind === "models" || kind === "unimplemented";
}
