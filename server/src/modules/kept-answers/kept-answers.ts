/**
 * Answers that the gateway keeps for their users, so that later requests continue them. Off unless
 * root wants it.
 */

export type KeptAnswers = {
  /** Finds an answer of a user; null: there is none. */
  find(id: string, userId: number): Promise<KeptAnswer | null>;
  /** Has an answer stored soon; until then it is found in memory. */
  keep(kept: ToKeep): void;
  /** @returns whether there was such an answer. */
  remove(id: string, userId: number): Promise<boolean>;
  /** Removes the answers of users, who were removed themselves. */
  forgetUsers(ids: readonly number[]): Promise<void>;
  /** Resolves when every answer that waits is stored. */
  drained(): Promise<void>;
};

/** JSON texts: the input of a request, and the object of its answer. */
export type KeptAnswer = { readonly input: string; readonly answer: string };

export type ToKeep = {
  readonly id: string;
  readonly userId: number;
  /** JSON in UTF-8. */
  readonly input: Uint8Array;
  readonly answer: Uint8Array;
};
