/** Converts embeddings from and to Cohere's format, version 2. */

import type {
  EmbeddingPurpose,
  EmbeddingsAnswer,
  EmbeddingsRequest,
} from "#canonical/embeddings.ts";
import type { ConversionClient, ConversionUpstream } from "#formats/conversion.ts";
import { defined, numberOf, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";
import { vectorsOf } from "#formats/shared/media/vectors.ts";

const purposes: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ["classification", "classification"],
  ["clustering", "clustering"],
  ["search_document", "document"],
  ["search_query", "query"],
]);

const client: ConversionClient<EmbeddingsRequest, EmbeddingsAnswer> = {
  parse(body) {
    const inputs = textsOf(body["texts"]);
    const code = "invalid_embedding_request";
    if (inputs.length === 0) {
      return { code, param: "texts", message: "texts are required: this model takes nothing else" };
    }
    const types = textsOf(body["embedding_types"]);
    if (types.some((type) => type !== "float")) {
      return {
        code,
        param: "embedding_types",
        message: "embedding_types must be float for this model",
      };
    }
    const purpose = purposes.get(textOf(body["input_type"])) ?? null;
    const losses = body["truncate"] === undefined ? [] : ["truncate"];
    return { request: { inputs, dimensions: numberOf(body["output_dimension"]), purpose }, losses };
  },
  write: ({ vectors }, { body, promptTokens }) => ({
    id: crypto.randomUUID(),
    embeddings: { float: vectors },
    texts: textsOf(body["texts"]),
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: promptTokens } },
  }),
};

const upstream: ConversionUpstream<EmbeddingsRequest, EmbeddingsAnswer> = {
  write: ({ inputs, dimensions, purpose }, model) => ({
    body: defined({
      model,
      texts: inputs,
      // Required by all models since version 3.
      input_type: [...purposes].find(([, each]) => each === purpose)?.[0] ?? "search_document",
      embedding_types: ["float"],
      output_dimension: dimensions ?? undefined,
    }),
    losses: [],
  }),
  read(answer) {
    const { embeddings } = objectOf(answer);
    const vectors = vectorsOf(objectOf(embeddings)["float"] ?? embeddings);
    return vectors === undefined ? undefined : { vectors };
  },
};

export const cohereEmbeddings = { client, upstream };
