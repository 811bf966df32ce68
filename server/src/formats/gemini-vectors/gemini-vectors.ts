import { scanObject } from "#base/json-scan.ts";
import type { ClientFormat, Format, RequestBody, UpstreamFormat } from "#formats/format.ts";
import { estimateBody, readPromptText } from "#formats/shared/prompt-estimate.ts";
import { errorBody } from "#formats/shared/errors/gemini-error.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { readBody } from "#formats/shared/read-body.ts";
import { nothingUnseen } from "#formats/shared/unseen-input.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { readVectorsUsage } from "./read-usage.ts";

/** The most texts of one call, as Google's API has it. */
const requestsMax = 100;

function clientOf(input: "content" | "requests"): ClientFormat {
  return {
    readRequest(bytes, path) {
      const body = readBody(bytes, path, {
        input,
        inputKinds: input === "requests" ? ["array"] : ["object"],
        namesModel: false,
        unseen: nothingUnseen,
        limits: [],
        settings: [],
        settingLimits: [],
        settingCounts: [],
      });
      if ("message" in body || input === "content") return body;
      return wrongRequest(bytes, body) ?? body;
    },
    rewriteRequest: (bytes, body, { model }) =>
      model === body.model ? bytes : renamed(bytes, model),
    readPrompt: readPromptText,
    estimatePrompt: estimateBody,
    smallRequest: (model) => {
      const content = { parts: [{ text: "hello world" }] };
      return input === "content"
        ? { content }
        : { requests: [{ model: `models/${model}`, content }] };
    },
    fields: {
      messages: input,
      outputLimits: [],
      texts: ["content", "parts", "requests", "text", "title"],
      keptByOverride: [],
    },
    errorBody,
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      keepAlive: new TextEncoder().encode(": keep-alive\n\n"),
      eventEnd: "\n\n",
      errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
      assemble: () => "",
    },
  };
}

/** Each text names its model again; another than the path's would be another price. */
function wrongRequest(bytes: Uint8Array, { model }: RequestBody) {
  const refuse = (param: string, message: string) => ({ code: "invalid_request", param, message });
  const { values } = scanObject(bytes, ["requests"]);
  const span = values.get("requests");
  const text =
    span === undefined ? "" : new TextDecoder().decode(bytes.subarray(span.start, span.end));
  const requests = listOf(parseJson(text));
  if (requests.length > requestsMax) {
    return refuse("requests", `at most ${requestsMax} requests are taken in one batch`);
  }
  for (const each of requests) {
    const named = textOf(objectOf(each)["model"]).replace(/^models\//, "");
    if (named !== "" && named !== model) {
      return refuse("model", `model must be models/${model}, as in the path`);
    }
  }
  return undefined;
}

/** Writes the upstream's model into every request of a batch. */
function renamed(bytes: Uint8Array, model: string): Uint8Array {
  const body = objectOf(parseJson(new TextDecoder().decode(bytes)));
  const name = `models/${model}`;
  const named = body["model"] === undefined ? body : { ...body, model: name };
  const { requests } = named;
  if (requests === undefined) return Buffer.from(JSON.stringify(named));
  const each = listOf(requests).map((request) => ({ ...objectOf(request), model: name }));
  return Buffer.from(JSON.stringify({ ...named, requests: each }));
}

const upstream: UpstreamFormat = {
  ...plainUpstream({
    usage: "usageMetadata",
    answering: ["embedding", "embeddings"],
    skipped: ["values"],
  }),
  readUsage: readVectorsUsage,
};

/** Google's format for the vectors of several texts: batchEmbedContents. */
export const geminiVectors = { client: clientOf("requests"), upstream } as const satisfies Format;

/** The same for one text: embedContent. */
export const geminiVector = { client: clientOf("content"), upstream } as const satisfies Format;
