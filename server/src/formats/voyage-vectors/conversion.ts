import type { EmbeddingsAnswer, EmbeddingsRequest } from "#canonical/embeddings.ts";
import type { ConversionUpstream } from "#formats/conversion.ts";
import { defined, objectOf } from "#formats/shared/read-json.ts";
import { sortedBy, vectorsOf } from "#formats/shared/media/vectors.ts";

/** Converts embeddings to Voyage's format, whose answers are like OpenAI's. */
export const voyageEmbeddings: ConversionUpstream<EmbeddingsRequest, EmbeddingsAnswer> = {
  write: ({ inputs, dimensions, purpose }, model) => ({
    body: defined({
      model,
      input: inputs,
      input_type: purpose === "query" || purpose === "document" ? purpose : undefined,
      output_dimension: dimensions ?? undefined,
    }),
    losses: [],
  }),
  read(answer) {
    const list = objectOf(answer)["data"];
    const vectors = vectorsOf(sortedBy(list, "index"), (each) => objectOf(each)["embedding"]);
    return vectors === undefined ? undefined : { vectors };
  },
};
