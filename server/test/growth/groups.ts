/** What the suite measures. Each group takes its subjects from the product's registries. */

import type { Sizes, Subject } from "./measure.ts";

type Subjects = {
  readonly subjects: () => Promise<readonly Subject[]>;
  readonly sizes: Sizes;
  /** Whether only long runs measure the group, because others have a part of it. */
  readonly isLong?: boolean;
};

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** Bodies of clients: what `RelayBodyMegabytesMax` is by default. */
const ofBodies = { small: 32 * kilobyte, large: 256 * kilobyte, most: 10 * megabyte };

/** Answers of upstreams, of which a whole one is read up to 64 MiB. */
const ofAnswers = { small: 32 * kilobyte, large: 256 * kilobyte, most: 64 * megabyte };

export const groups = {
  cleaners: {
    subjects: async () => (await import("./cleaners.ts")).cleaners,
    sizes: ofBodies,
  },
  console: {
    subjects: async () => (await import("./console-inputs.ts")).consoleInputs(),
    sizes: { ...ofBodies, most: megabyte },
  },
  answers: {
    subjects: async () => (await import("./answers.ts")).answers,
    sizes: ofAnswers,
  },
  pairs: {
    subjects: async () => (await import("./translators.ts")).translators,
    sizes: { ...ofBodies, large: 512 * kilobyte },
  },
  parsers: {
    subjects: async () => (await import("./translators.ts")).parsers,
    sizes: ofBodies,
    isLong: true,
  },
  scanners: {
    subjects: async () => (await import("./answers.ts")).scanners,
    sizes: ofAnswers,
  },
  "told usage": {
    subjects: async () => (await import("./told-usage.ts")).toldUsage,
    sizes: ofAnswers,
  },
  writers: {
    subjects: async () => (await import("./translators.ts")).writersOfRequests,
    sizes: ofBodies,
    isLong: true,
  },
} as const satisfies Readonly<Record<string, Subjects>>;

export type Group = keyof typeof groups;

/** @returns the groups of a run. */
export function groupsOf({ isLong }: { readonly isLong: boolean }): readonly Group[] {
  // Safe cast: these are the keys of the table.
  return (Object.keys(groups) as Group[]).filter((name) => isLong || !isLongOnly(name));
}

function isLongOnly(name: Group): boolean {
  const group: Subjects = groups[name];
  return group.isLong === true;
}

export function isGroup(name: string): name is Group {
  return Object.hasOwn(groups, name);
}
