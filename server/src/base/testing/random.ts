/** Numbers that look random and are the same for the same seed, so that a failure can be run again. */
export type Random = {
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Returns a whole number from 0 up to `limit`, which is not included. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
};

/** Opens a small fast generator of 32-bit numbers (sfc32, of PractRand). */
export function seededRandom(seed: number): Random {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = seed | 0;
  let counter = 1;

  /** Returns the next number, from 0 up to 1, which is not included. */
  function next(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  // Skips numbers until the seed has affected every bit of the state.
  for (let turn = 0; turn < 12; turn += 1) next();

  return {
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
