/**
 * Searches a text that arrives in pieces for the first of several sequences, with Aho and Corasick's
 * automaton (doi:10.1145/360825.360855): each character is one step, however many sequences there are.
 */

export type StopSearch = {
  /** Returns what of the text so far can be passed on: it does not begin a sequence. */
  push(piece: string): string;
  /** Returns what was kept back, which began no sequence after all. */
  end(): string;
  /** The sequence that was found; empty: none so far. Nothing behind it is passed on. */
  readonly found: string;
};

type State = {
  readonly next: Map<number, State>;
  /** How many characters lead to the state. */
  readonly depth: number;
  /** The state of the longest other beginning of a sequence that ends here. */
  fallback: State;
  /** The longest sequence that ends here; empty: none. */
  sequence: string;
};

/** Makes what searches for these sequences, none of which is empty. */
export function openStopSearches(sequences: readonly string[]): () => StopSearch {
  const root = openAutomaton(sequences);
  return () => openSearch(root);
}

function openSearch(root: State): StopSearch {
  let state = root;
  let kept = "";
  let found = "";
  return {
    push(piece) {
      if (found !== "") return "";
      const text = kept + piece;
      for (let at = kept.length; at < text.length; at += 1) {
        state = step(root, state, text.charCodeAt(at));
        if (state.sequence === "") continue;
        found = state.sequence;
        kept = "";
        return text.slice(0, at + 1 - found.length);
      }
      kept = text.slice(text.length - state.depth);
      return text.slice(0, text.length - state.depth);
    },
    end() {
      const rest = kept;
      kept = "";
      state = root;
      return rest;
    },
    get found() {
      return found;
    },
  };
}

function step(root: State, from: State, code: number): State {
  for (let state = from; ; state = state.fallback) {
    const next = state.next.get(code);
    if (next !== undefined) return next;
    if (state === root) return root;
  }
}

function openAutomaton(sequences: readonly string[]): State {
  const root = newState(undefined, 0);
  let level: State[] = [root];
  for (const sequence of sequences) {
    let state = root;
    for (let at = 0; at < sequence.length; at += 1) {
      const code = sequence.charCodeAt(at);
      const next = state.next.get(code) ?? newState(root, state.depth + 1);
      state.next.set(code, next);
      state = next;
    }
    state.sequence = sequence;
  }
  // A state's fallback is shorter, so it is known before it is needed.
  while (level.length > 0) {
    const below: State[] = [];
    for (const state of level) {
      for (const [code, next] of state.next) {
        if (state !== root) next.fallback = step(root, state.fallback, code);
        if (next.sequence === "") next.sequence = next.fallback.sequence;
        below.push(next);
      }
    }
    level = below;
  }
  return root;
}

function newState(fallback: State | undefined, depth: number): State {
  const state: Omit<State, "fallback"> = { next: new Map(), depth, sequence: "" };
  // Safe cast: the root falls back to itself.
  const made = state as State;
  made.fallback = fallback ?? made;
  return made;
}
