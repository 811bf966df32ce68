/** The largest number of fields that are named as lost; further ones are not listed. */
const lossesMax = 24;

/** Collects the names of the fields that a translation leaves out, each once. */
export type Losses = {
  add(name: string): void;
  /** Adds the names whose condition holds. */
  addIf(condition: boolean, name: string): void;
  readonly names: readonly string[];
};

export function openLosses(): Losses {
  const names: string[] = [];
  const add = (name: string): void => {
    if (names.length < lossesMax && !names.includes(name)) names.push(name);
  };
  return {
    add,
    addIf: (condition, name) => void (condition && add(name)),
    names,
  };
}
