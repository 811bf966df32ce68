import type { Format } from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { readRequest } from "./read-request.ts";

const client = mediaClient({
  readRequest,
  smallRequest: (model) => ({ model, query: "hello", documents: ["hello world"] }),
  input: "documents",
  texts: ["documents", "query", "text"],
});

/** The format of Jina's rerank API, which many servers speak, and Cohere's clients as well. */
export const rerank = {
  client,
  upstream: plainUpstream({ usage: "usage", answering: ["results"] }),
} as const satisfies Format;

export const cohereRerank = {
  client,
  upstream: plainUpstream({ usage: "meta", answering: ["results"] }),
} as const satisfies Format;

export const dashscopeRerank = {
  client,
  upstream: plainUpstream({ usage: "usage", answering: ["output"] }),
} as const satisfies Format;

export const voyageRerank = {
  client,
  upstream: plainUpstream({ usage: "usage", answering: ["data"] }),
} as const satisfies Format;
