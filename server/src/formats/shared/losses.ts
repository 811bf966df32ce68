import { isKnownName } from "./names/known-names.ts";

/** The largest number of fields that are named as lost; further ones are not listed. */
export const lossesMax = 20;
/** The longest name, in characters. */
const nameLengthMax = 64;

/** Collects the names of the fields that a translation leaves out, each once. */
export type Losses = {
  /** Adds a name of ours. */
  add(name: string): void;
  /** Adds the names of ours whose condition holds. */
  addIf(condition: boolean, name: string): void;
  /**
   * Adds a name that the client wrote. One that no API documents is counted only, because it may be
   * any text.
   *
   * @param path what stands in front of the name, such as `tools.`.
   */
  addGiven(name: string, path?: string): void;
  readonly names: readonly string[];
};

/** What stands in front of the number of fields that are only counted. */
const unknownMark = "unknown fields: ";

export function openLosses(): Losses {
  const names: string[] = [];
  let unknown = 0;
  const add = (name: string): void => {
    if (names.length < lossesMax && !names.includes(name)) names.push(name);
  };
  return {
    add,
    addIf: (condition, name) => void (condition && add(name)),
    addGiven(name, path = "") {
      if (isKnownName(name)) add(path + name);
      else unknown += 1;
    },
    get names() {
      return unknown === 0 ? names : [...names, unknownMark + unknown];
    },
  };
}

/** Bounds names that several translations have left out, as they are told and stored, each once. */
export function boundLosses(given: readonly string[]): readonly string[] {
  const names = given.length < 2 ? given : together(given);
  if (names.length <= lossesMax && names.every(({ length }) => length <= nameLengthMax)) {
    return names;
  }
  const left = names.length - lossesMax;
  const shown = names.slice(0, lossesMax).map((name) => name.slice(0, nameLengthMax));
  return left > 0 ? [...shown.slice(0, -1), `and ${left + 1} more`] : shown;
}

/** Puts the names of several translations together, and adds up what each has only counted. */
function together(given: readonly string[]): readonly string[] {
  const counted = given.filter((name) => name.startsWith(unknownMark));
  const names = [...new Set(given)].filter((name) => !name.startsWith(unknownMark));
  if (counted.length === 0) return names;
  const unknown = counted.reduce((sum, name) => sum + Number(name.slice(unknownMark.length)), 0);
  return [...names, unknownMark + unknown];
}
