/**
 * Checks the JSON of a mapping or override while it is being typed, more exactly than the contract:
 * it names the entry that is wrong or has no effect.
 */

import {
  channelSetting,
  modelMapping,
  paramOverride,
  statusCodeMapping,
} from "@tollgate/contract/fields/channel-fields.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import type { Check } from "#ui/editor/EditorCheck.tsx";

/** Texts to begin with, for each kind of mapping. */
export const examples = {
  model_mapping: { "gpt-4o": "gpt-4o-2024-11-20" },
  status_code_mapping: { 400: "500" },
  header_override: { authorization: "Bearer {api_key}" },
  param_override: { temperature: 0.7, max_tokens: 4096 },
} as const;

function readEntries(text: string): Readonly<Record<string, unknown>> | "none" | "not-object" {
  if (text.trim() === "") return "none";
  try {
    const object = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    return object.success ? object.data : "not-object";
  } catch {
    return "none";
  }
}

/**
 * Checks a mapping of models.
 *
 * @param models the models of the channel: others are never asked for, so mapping them does
 *   nothing. Null: they are not known.
 */
export function checkModelMapping(text: string, models: readonly string[] | null, t: T): Check {
  const entries = readEntries(text);
  if (typeof entries === "string") return notObject(entries, t);
  const broken = brokenEntry(modelMapping, entries);
  if (broken !== null) {
    return { tone: "danger", text: t("channels.checkModelName", { key: broken }) };
  }
  const names = Object.keys(entries);
  const unused = models === null ? [] : names.filter((name) => !models.includes(name));
  if (unused.length > 0) {
    return { tone: "warning", text: t("channels.checkUnusedModels", { names: unused.join(", ") }) };
  }
  return done(names, t);
}

export function checkStatusCodes(text: string, t: T): Check {
  const entries = readEntries(text);
  if (typeof entries === "string") return notObject(entries, t);
  const broken = brokenEntry(statusCodeMapping, entries);
  if (broken !== null) return { tone: "danger", text: t("channels.checkStatus", { key: broken }) };
  return done(Object.keys(entries), t);
}

export function checkHeaders(text: string, t: T): Check {
  const entries = readEntries(text);
  if (typeof entries === "string") return notObject(entries, t);
  const broken = brokenEntry(channelSetting.shape.header_override, entries);
  if (broken !== null) return { tone: "danger", text: t("channels.checkHeader", { key: broken }) };
  return done(Object.keys(entries), t);
}

export function checkOverride(text: string, t: T): Check {
  const entries = readEntries(text);
  if (typeof entries === "string") return notObject(entries, t);
  const names = Object.keys(entries);
  const fixed = names.filter((name) => !paramOverride.safeParse({ [name]: 0 }).success);
  if (fixed.length > 0) {
    return { tone: "danger", text: t("channels.checkFixed", { names: fixed.join(", ") }) };
  }
  return done(names, t);
}

function notObject(entries: "none" | "not-object", t: T): Check {
  return entries === "none" ? null : { tone: "danger", text: t("channels.checkNotObject") };
}

/** Returns the name of the first entry that the schema refuses; null: it accepts all. */
function brokenEntry(schema: z.ZodType, entries: Readonly<Record<string, unknown>>): string | null {
  const broken = Object.entries(entries).find(
    ([name, value]) => !schema.safeParse({ [name]: value }).success,
  );
  return broken?.[0] ?? null;
}

function done(names: readonly string[], t: T): Check {
  if (names.length === 0) return null;
  return { tone: "success", text: t("channels.checkDone", { count: names.length }) };
}
