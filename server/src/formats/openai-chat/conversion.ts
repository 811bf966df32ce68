/** Converts embeddings from and to OpenAI's format. */

import type { EmbeddingsAnswer, EmbeddingsRequest } from "#canonical/embeddings.ts";
import type { ConversionClient, ConversionUpstream } from "#formats/conversion.ts";
import { defined, listOf, numberOf, textOf, textsOf } from "#formats/shared/read-json.ts";
import { sortedBy, toBase64, vectorsOf } from "#formats/shared/media/vectors.ts";

const client: ConversionClient<EmbeddingsRequest, EmbeddingsAnswer> = {
  parse(body) {
    const { input } = body;
    const inputs = textsOf(input);
    if (inputs.length === 0 || (Array.isArray(input) && inputs.length !== listOf(input).length)) {
      const message = "input must be texts: this model takes no token numbers";
      return { code: "invalid_embedding_request", param: "input", message };
    }
    const losses = body["user"] === undefined ? [] : ["user"];
    return { request: { inputs, dimensions: numberOf(body["dimensions"]), purpose: null }, losses };
  },
  write({ vectors }, { body, model, promptTokens }) {
    const isBase64 = textOf(body["encoding_format"]) === "base64";
    return {
      object: "list",
      data: vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: isBase64 ? toBase64(vector) : vector,
      })),
      model,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
  },
};

const upstream: ConversionUpstream<EmbeddingsRequest, EmbeddingsAnswer> = {
  write: ({ inputs, dimensions, purpose }, model) => ({
    body: defined({
      model,
      input: inputs,
      dimensions: dimensions ?? undefined,
      encoding_format: "float",
    }),
    losses: purpose === null ? [] : ["taskType"],
  }),
  read(answer) {
    const list = Object(answer).data;
    const vectors = vectorsOf(sortedBy(list, "index"), (each) => Object(each).embedding);
    return vectors === undefined ? undefined : { vectors };
  },
};

export const openaiEmbeddings = { client, upstream };
