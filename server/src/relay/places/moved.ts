/**
 * Remembers where conversations have gone that could not stay at the place that hashing gives them:
 * there the provider has their prompts in its cache now.
 */

type MovedTo = {
  readonly channelId: number;
  readonly keyMark: number;
  /** When its own place was left. Monotonic milliseconds. */
  readonly leftMs: number;
  /** When its last turn began. */
  readonly lastMs: number;
  /** How long the provider keeps the prompt after a turn. */
  readonly cacheMs: number;
};

export type MovedConversations = {
  find(conversation: number): MovedTo | undefined;
  note(conversation: number, to: MovedTo): void;
  forget(conversation: number): void;
  count(): number;
};

/** How many are remembered; of more, those that moved first are forgotten. */
const movedMax = 100_000;

export function openMoved(most = movedMax): MovedConversations {
  const places = new Map<number, MovedTo>();
  return {
    find: (conversation) => (places.size === 0 ? undefined : places.get(conversation)),
    note(conversation, to) {
      // What is noted last stands last.
      places.delete(conversation);
      places.set(conversation, to);
      if (places.size <= most) return;
      for (const oldest of places.keys()) {
        places.delete(oldest);
        return;
      }
    },
    forget: (conversation) => void places.delete(conversation),
    count: () => places.size,
  };
}
