import type { EmbeddingsAnswer, EmbeddingsRequest } from "#canonical/embeddings.ts";
import type { ConversionUpstream } from "#formats/conversion.ts";
import { defined, objectOf } from "#formats/shared/read-json.ts";
import { sortedBy, vectorsOf } from "#formats/shared/media/vectors.ts";

/** Converts embeddings to DashScope's own format. */
export const dashscopeEmbeddings: ConversionUpstream<EmbeddingsRequest, EmbeddingsAnswer> = {
  write: ({ inputs, dimensions, purpose }, model) => ({
    body: {
      model,
      input: { texts: inputs },
      parameters: defined({
        dimension: dimensions ?? undefined,
        text_type: purpose === "query" || purpose === "document" ? purpose : undefined,
      }),
    },
    losses: [],
  }),
  read(answer) {
    const list = objectOf(objectOf(answer)["output"])["embeddings"];
    const vectors = vectorsOf(sortedBy(list, "text_index"), (each) => objectOf(each)["embedding"]);
    return vectors === undefined ? undefined : { vectors };
  },
};
