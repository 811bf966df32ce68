/** Where answers are kept that clients continue by their ids. */

/** Answers that the gateway keeps for their users. */
export type KeptAnswers = {
  /** Returns JSON texts; null: the user has no such answer. */
  find(
    id: string,
    userId: number,
  ): Promise<{ readonly input: string; readonly answer: string } | null>;
  /** Returns before it is stored. */
  keep(kept: {
    readonly id: string;
    readonly userId: number;
    readonly input: Uint8Array;
    readonly answer: Uint8Array;
  }): void;
  /** @returns whether there was such an answer. */
  remove(id: string, userId: number): Promise<boolean>;
};
