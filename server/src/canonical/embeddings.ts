/** A request for vectors of texts, and its answer, free of any wire format. */
export type EmbeddingsRequest = {
  readonly inputs: readonly string[];
  /** How long the vectors are to be; null: as the model makes them. */
  readonly dimensions: number | null;
  /** What the texts are for, as models that tell it apart are told; null: the request does not say. */
  readonly purpose: EmbeddingPurpose | null;
};

export type EmbeddingPurpose = "classification" | "clustering" | "document" | "query";

export type EmbeddingsAnswer = {
  /** The vectors in the order of the inputs. */
  readonly vectors: readonly (readonly number[])[];
};
