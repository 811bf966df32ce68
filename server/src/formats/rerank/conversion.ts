/** Converts rerank from Jina's format to those of other providers. */

import type { Json, JsonObject } from "#base/json.ts";
import type { RerankAnswer, RerankRequest } from "#canonical/rerank.ts";
import type { ConversionClient, ConversionUpstream } from "#formats/conversion.ts";
import { defined, flagOf, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";

type Upstream = ConversionUpstream<RerankRequest, RerankAnswer>;

/** Returns the text of a document, which may stand in an object. */
function documentText(document: Json): string {
  return typeof document === "string" ? document : textOf(objectOf(document)["text"]);
}

const lostFields = ["max_chunk_per_doc", "max_chunks_per_doc", "overlap_tokens", "rank_fields"];

export const jinaRerank: ConversionClient<RerankRequest, RerankAnswer> = {
  parse(body) {
    const query = textOf(body["query"]);
    const documents = listOf(body["documents"]).map(documentText);
    const code = "invalid_documents";
    if (query === "") return { code, param: "query", message: "query must be a text" };
    const empty = documents.findIndex((text) => text === "");
    if (empty >= 0) {
      return { code, param: "documents", message: `documents[${empty}] must have a text` };
    }
    const losses = lostFields.filter((name) => body[name] !== undefined);
    return { request: { query, documents, topCount: numberOf(body["top_n"]) }, losses };
  },
  write({ results }, { body, model, promptTokens }) {
    const documents = listOf(body["documents"]);
    const withDocuments = flagOf(body["return_documents"]) === true;
    return {
      id: crypto.randomUUID(),
      model,
      results: results.map(({ index, score }) =>
        defined({
          index,
          relevance_score: score,
          document: withDocuments ? { text: documentText(documents[index] ?? "") } : undefined,
        }),
      ),
      usage: { total_tokens: promptTokens },
      meta: { billed_units: { search_units: 1 } },
    };
  },
};

/**
 * Reads a list of results. Undefined: there are none, or one of them names no document of the
 * request.
 */
function resultsOf(list: Json | undefined, { documents }: RerankRequest): RerankAnswer | undefined {
  const results = listOf(list).map((each) => {
    const result = objectOf(each);
    const index = numberOf(result["index"]) ?? -1;
    return { index, score: numberOf(result["relevance_score"]) ?? 0 };
  });
  const isWhole = results.every(
    ({ index }) => Number.isInteger(index) && index >= 0 && index < documents.length,
  );
  const isEmpty = results.length === 0 && documents.length > 0;
  return isWhole && !isEmpty && Array.isArray(list) ? { results } : undefined;
}

function common({ query, documents, topCount }: RerankRequest, topName: string): JsonObject {
  return defined({ query, documents, [topName]: topCount ?? undefined });
}

export const cohereRerank: Upstream = {
  write: (request, model) => ({ body: { model, ...common(request, "top_n") }, losses: [] }),
  read: (answer, request) => resultsOf(objectOf(answer)["results"], request),
};

export const voyageRerank: Upstream = {
  write: (request, model) => ({ body: { model, ...common(request, "top_k") }, losses: [] }),
  read: (answer, request) => resultsOf(objectOf(answer)["data"], request),
};

export const dashscopeRerank: Upstream = {
  write: ({ query, documents, topCount }, model) => ({
    body: {
      model,
      input: { query, documents },
      parameters: defined({ top_n: topCount ?? undefined }),
    },
    losses: [],
  }),
  read: (answer, request) => resultsOf(objectOf(objectOf(answer)["output"])["results"], request),
};
