/**
 * Configuration as code. Each module that owns things which a document can name says what is there,
 * judges the document's entries by the rules of its console API, and gathers the writes of its
 * console API that make the difference. This module compares, and runs all writes in one
 * transaction.
 */

import type {
  ConfigurationChange,
  ConfigurationFault,
  ConfiguredKind,
} from "@tollgate/contract/endpoints/configuration.ts";
import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { StoreCall } from "#db/store.ts";
import type { Actor } from "#modules/audit/audit.ts";

/** What a thing says, field by field, as text; of a secret a fingerprint. */
type Fields = Readonly<Record<string, string>>;

/** A thing that is there. */
export type Present = {
  /** The id by which the console changes it; 0: it is changed by its name. */
  readonly id: number;
  readonly fields: Fields;
};

/** An entry of a document, not yet judged. */
export type Entry = {
  readonly value: unknown;
  /** Where it stands in the document. */
  readonly path: readonly string[];
};

export type Entries = ReadonlyMap<string, Entry>;

/** A write, and what to do with what it returned once it is committed. */
export type PlannedCall = StoreCall & { readonly done?: (result: unknown) => void };

/** What a module would do to give its things what a document says. */
export type Planned = {
  readonly changes: readonly ConfigurationChange[];
  readonly faults: readonly ConfigurationFault[];
  readonly calls: readonly PlannedCall[];
  /** What the document says of each thing that it names. */
  readonly wanted: readonly Wanted[];
};

export type Wanted = {
  readonly kind: ConfiguredKind;
  readonly name: string;
  readonly fields: Fields;
};

/** Who applies a document, and when. */
export type By = {
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Whether the one who applies it has proven a second factor, or stands above that rule. */
  readonly hasSecondFactor: () => Promise<boolean>;
};

/** What a module offers that owns things of a document: see the `configured-*.ts` of each. */
export type ConfiguredOptions = {
  readonly isSensitive: (name: string) => boolean;
  read(): Promise<
    ReadonlyMap<string, Present & { readonly isSet: boolean; readonly text: string }>
  >;
  plan(entries: Entries, reset: readonly string[], by: By): Promise<Planned>;
};

export type ConfiguredChannels = {
  read(): Promise<
    ReadonlyMap<string, Present & { readonly keyCount: number; readonly isAmbiguous: boolean }>
  >;
  plan(
    entries: Entries,
    around: { readonly prune: boolean; readonly groups: ReadonlySet<string> },
    by: By,
  ): Promise<Planned>;
};

export type ConfiguredPrices = {
  readModels(): Promise<ReadonlyMap<string, Present & { readonly prices: BookPrices }>>;
  readGroups(): Promise<ReadonlyMap<string, Present>>;
  plan(asked: AskedPrices, by: By): Promise<Planned>;
};

export type AskedPrices = {
  /** Null: the document says nothing of groups. */
  readonly groups: Entries | null;
  readonly models: Entries | null;
  readonly prune: boolean;
};

export type ConfiguredUsers = {
  find(username: string): Promise<{ readonly id: number; readonly role: number } | undefined>;
  plan(account: NewAccount, by: By): Promise<PlannedCall[]>;
};

type NewAccount = {
  readonly username: string;
  readonly displayName: string;
  readonly password: string;
  readonly role: number;
  readonly group: string;
  /** Quota units. */
  readonly quota: number;
};

export type ConfiguredKeys = {
  readonly show: (key: string) => string;
  find(userId: number, name: string): Promise<string | undefined>;
  judge(key: string): Promise<void>;
  plan(userId: number, key: NewKey, by: By): Promise<PlannedCall[]>;
};

type NewKey = {
  readonly name: string;
  readonly key: string;
  /** Quota units; null: only the user's balance limits it. */
  readonly quota: number | null;
};

/** How many digits of a keyed hash stand for a secret. */
const fingerprintLength = 16;

/** Shows that there is a secret, and whether it is the same as another one. */
export function showSecret(fingerprint: string): string {
  return `secret:${fingerprint.slice(0, fingerprintLength)}`;
}

/** Compares what is there with what a document says of it; undefined: it is so already. */
export function compareFields(
  { kind, name, fields: wanted }: Wanted,
  present: Fields | undefined,
): ConfigurationChange | undefined {
  const fields = Object.entries(wanted)
    .map(([field, after]) => ({ field, before: present?.[field] ?? null, after }))
    .filter(({ before, after }) => before !== after);
  if (present !== undefined && fields.length === 0) return undefined;
  return { kind, name, action: present === undefined ? "create" : "change", fields };
}

/** Says that a thing goes. */
export function removalOf(kind: ConfiguredKind, name: string, present: Fields) {
  const fields = Object.entries(present).map(([field, before]) => ({ field, before, after: null }));
  return { kind, name, action: "remove", fields } as const;
}

/** Runs a check; what it refuses becomes a fault of the entry, or of the field that it names. */
export async function faultsOf(
  path: readonly string[],
  check: () => Promise<unknown> | void,
): Promise<ConfigurationFault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const field = error.field === undefined ? [] : [error.field];
    return [{ path: [...path, ...field], message: error.message }];
  }
}

/** Turns what a schema refuses into faults. */
export function schemaFaults(path: readonly string[], error: z.ZodError): ConfigurationFault[] {
  return error.issues.flatMap((issue) => {
    const place = [...path, ...issue.path.map(String)];
    if (issue.code !== "unrecognized_keys") return [{ path: place, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...place, key], message: `未知的字段：${key}` }));
  });
}

/** An entry as a map of fields; undefined: it is none. */
export function asFields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value));
}

/** What is said of an entry that is not a map of fields. */
export const noFields = "应为一组字段";

/** Names the fields of an entry that nothing knows. */
export function unknownFields(
  { value, path }: Entry,
  known: readonly string[],
): ConfigurationFault[] {
  return Object.keys(asFields(value) ?? {})
    .filter((field) => !known.includes(field))
    .map((field) => ({
      path: [...path, field],
      message: `未知的字段：${field}；可用的字段：${known.join(", ")}`,
    }));
}

/** Writes a number without an exponent, as decimals are stored. */
export function plainNumber(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const [digits = ""] = /^-?\d+(?:\.\d*[1-9])?/.exec(value.toFixed(20)) ?? [];
  return digits;
}
