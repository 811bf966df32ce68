/** Writes what is there as a document, and compares it with what a file owns. */

import type {
  ConfigurationDocument,
  ConfiguredKind,
  OwnedThing,
} from "@tollgate/contract/endpoints/configuration.ts";
import { configuredKind } from "@tollgate/contract/endpoints/configuration.ts";
import {
  isOptionName,
  options as definitions,
  parseOption,
} from "@tollgate/contract/options/options.ts";
import type { z } from "zod";
import type { Parts } from "./apply.ts";
import { asFields, type Present } from "./configuration.ts";
import type { ConfigurationStore } from "./configuration.store.ts";
import { sectionOf, usableGroups } from "./sections.ts";

type Json = z.core.util.JSONType;

/** Makes the name of the environment variable that is to have a secret. */
function secretName(...parts: readonly string[]): string {
  const words = parts.map((part) => part.replaceAll(/[^A-Za-z0-9]+/g, "_"));
  return words.join("_").toUpperCase().slice(0, 100);
}

/** Writes all options that differ from a new installation, groups, prices and channels. */
export async function exportDocument(parts: Parts): Promise<{
  readonly document: ConfigurationDocument;
  readonly left_out: string[];
}> {
  const left_out: string[] = [];
  const document = await exportOptions(parts, left_out);
  document["groups"] = await exportGroups(parts);
  const models = [...(await parts.prices.readModels())];
  // Safe cast: prices are texts, numbers and lists of them.
  document["models"] = Object.fromEntries(
    models.map(([name, { prices }]) => [name, prices as Json]),
  );
  const channels: Record<string, Json> = {};
  for (const [name, channel] of await parts.channels.read()) {
    if (channel.isAmbiguous) left_out.push(`channel ${name}`);
    channels[name] = showChannel(name, channel.fields, channel.keyCount);
  }
  document["channels"] = channels;
  return { document, left_out };
}

async function exportOptions(
  { options }: Parts,
  left_out: string[],
): Promise<Record<string, Json>> {
  const document: Record<string, Record<string, Json>> = {};
  for (const [name, { isSet, text }] of await options.read()) {
    const place = isOptionName(name) ? sectionOf(name) : undefined;
    if (!isSet || place === undefined || !isOptionName(name)) continue;
    const value: Json = definitions[name].secret
      ? { env: secretName("option", name) }
      : naturalValue(name, text);
    if (!parseOption(name, text).ok) left_out.push(`option ${name}`);
    const section = (document[place.section] ??= {});
    if (place.kind === "") section[name] = value;
    else section[place.kind] = { ...asJson(section[place.kind]), [name]: value };
  }
  return document;
}

function asJson(value: Json | undefined): Record<string, Json> {
  // Safe cast: only maps of fields are put there.
  return (asFields(value) ?? {}) as Record<string, Json>;
}

/** Writes a value as a file would have it: numbers, switches and lists as such. */
function naturalValue(name: keyof typeof definitions, text: string): Json {
  switch (definitions[name].type) {
    case "flag":
      return text === "true";
    case "number":
      return Number(text);
    case "lines":
      return text === "" ? [] : text.split("\n");
    case "list":
      return text === "" ? [] : text.split(",");
    case "json":
    case "pairList":
    case "textMap":
    case "decimalMap":
      return JSON.parse(text);
    case "address":
    case "choice":
    case "decimal":
    case "email":
    case "longText":
    case "text":
      return text;
  }
}

async function exportGroups({ prices, options }: Parts): Promise<Json> {
  const text = (await options.read()).get(usableGroups)?.text ?? "{}";
  const usable: Readonly<Record<string, unknown>> = JSON.parse(text);
  const groups: Record<string, Json> = {};
  for (const [name, { fields }] of await prices.readGroups()) {
    const described = Object.hasOwn(usable, name) ? { description: String(usable[name]) } : {};
    groups[name] = { ratio: fields["ratio"] ?? "1", ...described };
  }
  return groups;
}

/** What a channel is unless its entry says otherwise. */
const channelDefaults: Readonly<Record<string, string>> = {
  auto_ban: "true",
  enabled: "true",
  priority: "0",
  weight: "0",
};

const listFields = ["groups", "models"];
const jsonFields = ["model_mapping", "param_override", "setting", "status_code_mapping"];
const numberFields = ["priority", "weight"];
const flagFields = ["auto_ban", "enabled"];

function showChannel(name: string, fields: Present["fields"], keyCount: number): Json {
  const shown: Record<string, Json> = {};
  for (const [field, text] of Object.entries(fields)) {
    if (text === (channelDefaults[field] ?? "") || field === "keys") continue;
    if (listFields.includes(field)) shown[field] = text.split(",");
    else if (jsonFields.includes(field)) shown[field] = JSON.parse(text);
    else if (numberFields.includes(field)) shown[field] = Number(text);
    else if (flagFields.includes(field)) shown[field] = text === "true";
    else shown[field] = text;
  }
  const keyName = secretName("channel", name, "key");
  if (keyCount === 1) shown["key"] = { env: keyName };
  if (keyCount > 1) {
    shown["keys"] = Array.from({ length: keyCount }, (_, at) => ({ env: `${keyName}_${at + 1}` }));
  }
  return shown;
}

/** Says what a file owns, and what of it has changed since. */
export async function listOwnedThings(
  parts: Parts,
  store: ConfigurationStore,
  only: ConfiguredKind | null,
): Promise<OwnedThing[]> {
  const rows = (await store.listOwned()).filter(({ kind }) => only === null || kind === only);
  if (rows.length === 0) return [];
  const present: Readonly<Record<string, ReadonlyMap<string, Present>>> = {
    channel: await parts.channels.read(),
    group: await parts.prices.readGroups(),
    model: await parts.prices.readModels(),
    option: await parts.options.read(),
  };
  return rows.flatMap(({ kind, name, fields, source, applied_at }) => {
    const parsed = configuredKind.safeParse(kind);
    const things = present[kind];
    // Users belong to themselves once they are there.
    if (!parsed.success || things === undefined) return [];
    const thing = things.get(name);
    const wanted: Readonly<Record<string, string>> = JSON.parse(fields);
    const drift = Object.entries(wanted)
      .map(([field, text]) => ({ field, wanted: text, present: thing?.fields[field] ?? null }))
      .filter((one) => one.wanted !== one.present);
    return [{ kind: parsed.data, name, id: thing?.id ?? 0, source, applied_at, drift }];
  });
}
