/** A request that puts documents in the order of a query, and its answer, free of any wire format. */
export type RerankRequest = {
  readonly query: string;
  readonly documents: readonly string[];
  /** How many of the best are wanted; null: all. */
  readonly topCount: number | null;
};

export type RerankAnswer = {
  /** The best first; `index` is the document's in the request. */
  readonly results: readonly { readonly index: number; readonly score: number }[];
};
