/** What the suite measures. Each group takes its subjects from the product's registries. */

import type { Subject } from "./measure.ts";

type Subjects = {
  readonly subjects: () => Promise<readonly Subject[]>;
  /** The size of the first look, in bytes. */
  readonly small: number;
};

const kilobyte = 1024;

export const groups = {
  cleaners: {
    subjects: async () => (await import("./cleaners.ts")).cleaners,
    small: 64 * kilobyte,
  },
  console: {
    subjects: async () => (await import("./console-inputs.ts")).consoleInputs(),
    small: 32 * kilobyte,
  },
  answers: {
    subjects: async () => (await import("./answers.ts")).answers,
    small: 32 * kilobyte,
  },
  pairs: {
    subjects: async () => (await import("./translators.ts")).translators,
    small: 8 * kilobyte,
  },
  parsers: {
    subjects: async () => (await import("./translators.ts")).parsers,
    small: 256 * kilobyte,
  },
  scanners: {
    subjects: async () => (await import("./answers.ts")).scanners,
    small: 32 * kilobyte,
  },
  writers: {
    subjects: async () => (await import("./translators.ts")).writersOfRequests,
    small: 128 * kilobyte,
  },
} as const satisfies Readonly<Record<string, Subjects>>;

export type Group = keyof typeof groups;

export function isGroup(name: string): name is Group {
  return Object.hasOwn(groups, name);
}
