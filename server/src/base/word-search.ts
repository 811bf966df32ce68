/**
 * Searches a text for many words at once, in any letter case, with Aho and Corasick's automaton
 * (doi:10.1145/360825.360855). Each character is one step, however many words there are, so a long
 * list of words does not make the search slower.
 */

/** Opens a search for any of these words anywhere in a text; null: the list is empty. */
export function openWordSearch(words: readonly string[]): ((text: string) => boolean) | null {
  const wanted = [...new Set(words.map(fold))].filter((word) => word !== "");
  if (wanted.length === 0) return null;
  const { step, ends, starts } = openAutomaton(wanted);
  return (text) => {
    const folded = fold(text);
    let state = root;
    for (let at = 0; at < folded.length; at += 1) {
      const code = folded.charCodeAt(at);
      // A short cut: most characters of most texts leave the state as it is.
      if (state === root && starts[code] === 0) continue;
      state = step(state, code);
      if (ends[state] === 1) return true;
    }
    return false;
  };
}

const root = 0;
const codes = 65_536;

type Automaton = {
  readonly step: (state: number, code: number) => number;
  /** For each state: 1 if a word ends there. */
  readonly ends: Uint8Array;
  /** For each character: 1 if a word begins with it. */
  readonly starts: Uint8Array;
};

function openAutomaton(words: readonly string[]): Automaton {
  const statesMax = words.reduce((sum, word) => sum + word.length, 1);
  const ends = new Uint8Array(statesMax);
  const starts = new Uint8Array(codes);
  /** For each state, the state of its longest proper suffix that is the beginning of a word. */
  const fallback = new Int32Array(statesMax);
  const edges = openEdges(statesMax);
  // States in the order of the length of the beginning that each stands for, shortest first. So a
  // state's fallback, which is always shorter, is known before it is needed.
  const levels: { readonly from: number; readonly code: number; readonly to: number }[][] = [];
  let count = 1;
  for (const word of words) {
    let state = root;
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      let to = edges.find(state, code);
      if (to < 0) {
        to = count;
        count += 1;
        edges.add(state, code, to);
        (levels[at] ??= []).push({ from: state, code, to });
      }
      state = to;
    }
    ends[state] = 1;
    starts[word.charCodeAt(0)] = 1;
  }
  const step = (from: number, code: number): number => {
    for (let state = from; ; state = fallback[state] ?? root) {
      const to = edges.find(state, code);
      if (to >= 0) return to;
      if (state === root) return root;
    }
  };
  for (const { from, code, to } of levels.flat()) {
    fallback[to] = from === root ? root : step(fallback[from] ?? root, code);
    if (ends[fallback[to] ?? root] === 1) ends[to] = 1;
  }
  return { step, ends, starts };
}

/**
 * Maps a state and a character to the next state, in flat arrays: a Map of that size is several
 * times slower.
 */
function openEdges(edgesMax: number) {
  let size = 16;
  while (size < edgesMax * 2) size *= 2;
  const froms = new Int32Array(size).fill(-1);
  const by = new Uint16Array(size);
  const to = new Int32Array(size);
  const slotOf = (from: number, code: number): number => {
    const mixed = Math.imul(Math.imul(from, 0x9e3779b1) ^ code, 0x85ebca6b);
    let slot = (mixed ^ (mixed >>> 15)) & (size - 1);
    while (froms[slot] !== -1 && (froms[slot] !== from || by[slot] !== code)) {
      slot = (slot + 1) & (size - 1);
    }
    return slot;
  };
  return {
    /** Returns the next state; −1: there is none. */
    find(from: number, code: number): number {
      const slot = slotOf(from, code);
      return froms[slot] === -1 ? -1 : (to[slot] ?? -1);
    },
    add(from: number, code: number, next: number): void {
      const slot = slotOf(from, code);
      froms[slot] = from;
      by[slot] = code;
      to[slot] = next;
    },
  };
}

/**
 * Folds case. The result is in capitals, because some letters are equal only there: `ς` and `σ`.
 */
function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}
