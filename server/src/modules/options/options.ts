/**
 * The present options, in memory on the thread that reads them. A stored value was checked when it
 * was saved and is checked again when it is read, so that a value out of range never takes effect,
 * however it got there.
 */

import type { Field } from "@tollgate/contract/kinds.ts";
import {
  isOptionName,
  isPriceOption,
  type OptionName,
  type OptionValue,
  options as definitions,
  parseOption,
  type StoredOptionName,
} from "@tollgate/contract/options.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { openWordSearch } from "#base/word-search.ts";

/** A row of the table `options`. */
export type OptionRow = { readonly key: string; readonly value: string };

/** A change of an option, before it is saved. */
export type OptionTrial = {
  readonly key: OptionName;
  readonly value: unknown;
  /** The token that the bot check gave to the page; empty: none. */
  readonly turnstileToken: string;
};

/** Saves the options that the set-up page asks about. Absent ones stay as they are. */
export type SaveFlags = (
  flags: { readonly [Name in "DemoSiteEnabled" | "SelfUseModeEnabled"]?: boolean },
  actor: Actor,
) => Promise<void>;

export type Options = {
  read<Name extends StoredOptionName>(name: Name): OptionValue<Name>;
  /** Takes over the table's values. A bad row leaves the value before it in effect. */
  refresh(rows: readonly OptionRow[]): void;
};

const storedNames = Object.keys(definitions).filter(
  (key): key is StoredOptionName => isOptionName(key) && !isPriceOption(key),
);

/** `report` is called with key and reason for every row that is ignored. */
export function openOptions(
  secrets: Secrets,
  report: (key: string, reason: string) => void,
): Options {
  const values = new Map<OptionName, unknown>();
  /**
   * The texts the values were read from: while a text stays the same, so does the value's object.
   */
  let known = new Map<string, string>();
  for (const name of storedNames) values.set(name, definitions[name].defaultValue);
  return {
    read<Name extends StoredOptionName>(name: Name) {
      // Only the two calls of `values.set` add values, each under its own name.
      return values.get(name) as OptionValue<Name>;
    },
    refresh(rows) {
      const texts = new Map(rows.map(({ key, value }) => [key, value]));
      for (const key of texts.keys()) {
        if (!storedNames.some((name) => name === key)) report(key, "no such option");
      }
      for (const name of storedNames) {
        const text = texts.get(name);
        if (text !== undefined && text === known.get(name)) continue;
        const parsed =
          text === undefined
            ? { ok: true as const, value: definitions[name].defaultValue }
            : parseStored(name, text, secrets);
        if (parsed.ok) values.set(name, parsed.value);
        else report(name, parsed.message);
      }
      known = texts;
    },
  };
}

function parseStored(name: StoredOptionName, text: string, secrets: Secrets) {
  const plain = plainText(definitions[name], name, text, secrets);
  return plain === undefined
    ? ({ ok: false, message: "cannot be opened" } as const)
    : parseOption(name, plain);
}

/** Hex digits of a secret's fingerprint, by which the audit log tells one value from another. */
const fingerprintLength = 16;

/** The stored form of a value: its text or, for a secret, `<fingerprint> <sealed>`. */
export function storedText(
  { secret }: Pick<Field, "secret">,
  key: string,
  text: string,
  secrets: Secrets,
): string {
  if (!secret) return text;
  const fingerprint = secrets.lookup("options", text).slice(0, fingerprintLength);
  return `${fingerprint} ${secrets.seal(`options|${key}`, text)}`;
}

/** The text of a stored value; undefined: sealed with another key, or altered. */
export function plainText(
  { secret }: Pick<Field, "secret">,
  key: string,
  stored: string,
  secrets: Secrets,
): string | undefined {
  if (!secret) return stored;
  try {
    return secrets.open(`options|${key}`, stored.slice(fingerprintLength + 1));
  } catch {
    return undefined;
  }
}

/** The form of a stored value for the audit log. */
export function auditText({ secret }: Pick<Field, "secret">, stored: string): string {
  return secret ? stored.slice(0, fingerprintLength) : stored;
}

const minuteMs = 60_000;
const megabyte = 1_024 * 1_024;

/** The options the relay reads, in the relay's own units. */
export function relayOptions(options: Options) {
  const limited = options.read("ModelRequestRateLimitEnabled");
  return {
    retryTimes: options.read("RetryTimes"),
    automaticDisable: options.read("AutomaticDisableChannelEnabled"),
    automaticDisableKeywords: options
      .read("AutomaticDisableKeywords")
      .map((keyword) => keyword.toLowerCase()),
    usableGroups: options.read("UserUsableGroups"),
    requestLimit: {
      windowMs: options.read("ModelRequestRateLimitDurationMinutes") * minuteMs,
      total: limited ? options.read("ModelRequestRateLimitCount") : 0,
      successes: limited ? options.read("ModelRequestRateLimitSuccessCount") : 0,
    },
    bodyBytesMax: options.read("RelayBodyMegabytesMax") * megabyte,
    quotaPerCallMax: options.read("QuotaPerCallMax"),
    outputTokensHeld: options.read("PreConsumedQuota"),
    billingShowsToken: options.read("DisplayTokenStatEnabled"),
    showsCurrency: options.read("DisplayInCurrencyEnabled"),
    findWord:
      options.read("CheckSensitiveEnabled") && options.read("CheckSensitiveOnPromptEnabled")
        ? searchFor(options.read("SensitiveWords"))
        : null,
  };
}

/** By list of words, so that changes of other options do not rebuild the search. */
const searches = new WeakMap<readonly string[], ReturnType<typeof openWordSearch>>();

function searchFor(words: readonly string[]): ReturnType<typeof openWordSearch> {
  const search = searches.get(words) ?? openWordSearch(words);
  searches.set(words, search);
  return search;
}
