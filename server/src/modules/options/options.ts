/**
 * The present values of the options, in the memory of the thread that reads them. A value is
 * validated when it is saved and again when it is loaded, so that an invalid value never takes
 * effect, even if it was written to the table by other means.
 */

import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import {
  isOptionName,
  isPriceOption,
  type OptionName,
  type OptionValue,
  options as definitions,
  parseOption,
  type StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { Secrets } from "#base/secrets.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { openWordSearch } from "#base/word-search.ts";

/** A row of the table `options`. */
export type OptionRow = { readonly key: string; readonly value: string };

/** A new value of an option that has to be tested before it is saved. */
export type OptionTrial = {
  readonly key: OptionName;
  readonly value: unknown;
  /** The token of a passed bot check from the page; empty if the page sent none. */
  readonly turnstileToken: string;
};

/** The options that are set with the installation. */
export const setUpOptions = ["ApiErrorLanguage", "DemoSiteEnabled", "SelfUseModeEnabled"] as const;

/** Saves options that are set with the installation. One that is absent in `flags` stays as it is. */
export type SaveFlags = (
  flags: { readonly [Name in (typeof setUpOptions)[number]]?: OptionValue<Name> },
  actor: Actor,
) => Promise<void>;

export type Options = {
  read<Name extends StoredOptionName>(name: Name): OptionValue<Name>;
  /**
   * Loads the rows of the table. For an option whose row is invalid, the previous value stays in
   * effect.
   */
  refresh(rows: readonly OptionRow[]): void;
};

const storedNames = Object.keys(definitions).filter(
  (key): key is StoredOptionName => isOptionName(key) && !isPriceOption(key),
);

/**
 * Opens the options with their default values; `refresh` then loads the stored ones.
 * @param report is called with key and reason for each row that is ignored.
 * @param basePath the path below which clients see the gateway: addresses of this server that have
 *   no path of their own are read with it.
 */
export function openOptions(
  secrets: Secrets,
  report: (key: string, reason: string) => void,
  basePath = "",
): Options {
  const values = new Map<OptionName, unknown>();
  /**
   * The stored texts that were loaded last, by option. If an option's text has not changed, its
   * value stays the same object.
   */
  let known = new Map<string, string>();
  for (const name of storedNames) values.set(name, definitions[name].defaultValue);
  return {
    read<Name extends StoredOptionName>(name: Name) {
      // The type is right because a value is only added under the name of its own option.
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
        if (parsed.ok) values.set(name, placed(name, parsed.value, basePath));
        else report(name, parsed.message);
      }
      known = texts;
    },
  };
}

/** The options that are addresses of this server. */
const ownAddresses = new Set<StoredOptionName>(["CustomCallbackAddress", "ServerAddress"]);

/** Adds the base path to an address of this server that consists of a host alone. */
function placed(name: StoredOptionName, value: unknown, basePath: string): unknown {
  if (basePath === "" || typeof value !== "string" || !ownAddresses.has(name)) return value;
  return URL.parse(value)?.pathname === "/" ? trimEndOf(value, "/") + basePath : value;
}

function parseStored(name: StoredOptionName, text: string, secrets: Secrets) {
  const plain = plainText(definitions[name], name, text, secrets);
  return plain === undefined
    ? ({ ok: false, message: "cannot be opened" } as const)
    : parseOption(name, plain);
}

/**
 * The number of hex digits in a secret's fingerprint, by which the audit log distinguishes values
 * without revealing them.
 */
const fingerprintLength = 16;

/** Makes the stored form of a value: its text or, for a secret, `<fingerprint> <sealed>`. */
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

/**
 * Reads a stored value, and unseals it if it is a secret. Undefined if it was altered or sealed
 * with another key.
 */
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

/** Returns what the audit log shows of a stored value: of a secret, only the fingerprint. */
export function auditText({ secret }: Pick<Field, "secret">, stored: string): string {
  return secret ? stored.slice(0, fingerprintLength) : stored;
}

const minuteMs = 60_000;
const megabyte = 1_024 * 1_024;

/** Returns the options that the relay reads, in the units that the relay uses. */
export function relayOptions(options: Options) {
  const limited = options.read("ModelRequestRateLimitEnabled");
  return {
    retryTimes: options.read("RetryTimes"),
    placesByModel: options.read("ConversationsByModel"),
    placesByGroup: options.read("ConversationsByGroup"),
    cheapestByModel: options.read("CheapestByModel"),
    cheapestByGroup: options.read("CheapestByGroup"),
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
    callsAtOnce: {
      perUser: options.read("CallsAtOncePerUserMax"),
      perToken: options.read("CallsAtOncePerTokenMax"),
    },
    bodyBytesMax: options.read("RelayBodyMegabytesMax") * megabyte,
    thinkingBudgetMax: options.read("ThinkingBudgetMax"),
    embeddingInputsMax: options.read("EmbeddingInputsMax"),
    quotaPerCallMax: options.read("QuotaPerCallMax"),
    spendRules: {
      userHour: options.read("QuotaPerUserHourMax"),
      gatewayMinute: options.read("QuotaPerMinuteMax"),
    },
    outputTokensHeld: options.read("PreConsumedQuota"),
    billingShowsToken: options.read("DisplayTokenStatEnabled"),
    timeZone: options.read("TimeZone"),
    showsCurrency: options.read("DisplayInCurrencyEnabled"),
    keepsTexts: options.read("LogContentEnabled"),
    keepsAnswersDays: options.read("ResponsesStoreDays"),
    takesResponsesSockets: options.read("ResponsesWebSocketEnabled"),
    findWord:
      options.read("CheckSensitiveEnabled") && options.read("CheckSensitiveOnPromptEnabled")
        ? searchFor(options.read("SensitiveWords"))
        : null,
  };
}

/** Caches the search by its list of words, so that changes of other options do not rebuild it. */
const searches = new WeakMap<readonly string[], ReturnType<typeof openWordSearch>>();

function searchFor(words: readonly string[]): ReturnType<typeof openWordSearch> {
  const search = searches.get(words) ?? openWordSearch(words);
  searches.set(words, search);
  return search;
}

export type OptionSave = {
  readonly key: StoredOptionName;
  /** The value as `storedText` returns it. */
  readonly value: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Stores a value, which every node then uses. @returns the stored value before; empty: none. */
export async function writeOption(
  tx: Db,
  { key, value, actor, nowMs }: OptionSave,
): Promise<string> {
  // Recorded before the option is read: this locks the row with the configuration's version until
  // the transaction ends, so that simultaneous saves run one after another.
  await recordChange(tx, "options", 0);
  const present = await tx
    .selectFrom("options")
    .select("value")
    .where("key", "=", key)
    .executeTakeFirst();
  await tx
    .insertInto("options")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
  const before = present === undefined ? null : auditText(definitions[key], present.value);
  await appendAudit(tx, {
    actor,
    action: "option.update",
    target: `option:${key}`,
    detail: { before, after: auditText(definitions[key], value) },
    nowMs,
  });
  return present?.value ?? "";
}
