/** Channels as a document of configuration names them. Their names are keys. */

import * as contract from "@tollgate/contract/endpoints/channels.ts";
import type {
  ConfigurationChange,
  ConfigurationFault,
} from "@tollgate/contract/endpoints/configuration.ts";
import type { z } from "zod";
import type { AddressPolicy } from "#base/address-policy.ts";
import type { Secrets } from "#base/secrets.ts";
import { gatherWrites, type RemoteStore } from "#db/store.ts";
import {
  asFields,
  type By,
  compareFields,
  type ConfiguredChannels,
  type Entries,
  type Entry,
  faultsOf,
  noFields,
  type Planned,
  type PlannedCall,
  type Present,
  removalOf,
  schemaFaults,
  showSecret,
  unknownFields,
  type Wanted,
} from "#modules/configuration/configuration.ts";
import { findProvider, listProviders } from "#providers/registry.ts";
import { editedSet, newRow, sentKeys } from "./channel-edits.ts";
import { createChannels, updateChannel } from "./channel-saves.ts";
import type { ChannelRow } from "./channels.repo.ts";
import type { channelStore } from "./channels.store.ts";
import { keyFingerprint } from "./channels.ts";

type ChannelDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly secrets: Secrets;
  readonly policy: AddressPolicy;
};

/** The fields that are columns of a channel, with the column of each. */
const columns = {
  type: "type",
  models: "models",
  groups: "group",
  base_url: "base_url",
  other: "other",
  model_mapping: "model_mapping",
  status_code_mapping: "status_code_mapping",
  param_override: "param_override",
  setting: "setting",
  tag: "tag",
  priority: "priority",
  weight: "weight",
  auto_ban: "auto_ban",
  openai_organization: "openai_organization",
  test_model: "test_model",
} as const satisfies Readonly<Record<string, keyof ChannelRow>>;
type ColumnField = keyof typeof columns;
const columnFields = Object.keys(columns) as readonly ColumnField[];

/** All fields of a channel; `key` is one key, `keys` are several. */
const fieldNames: readonly string[] = [...columnFields, "enabled", "key", "keys"];

type PresentChannel = Present & {
  readonly row: ChannelRow;
  /** How many keys it has. */
  readonly keyCount: number;
  /** Whether other channels have the same name. */
  readonly isAmbiguous: boolean;
};

export function openConfiguredChannels(deps: ChannelDeps): ConfiguredChannels {
  const { store } = deps;

  async function read(): Promise<Map<string, PresentChannel>> {
    const found = new Map<string, PresentChannel>();
    for (const { row, keys } of await store.loadChannels(null)) {
      const shownKeys = keys.map(({ fingerprint }) => showSecret(fingerprint)).join(",");
      const present: PresentChannel = {
        id: row.id,
        row,
        keyCount: keys.length,
        isAmbiguous: found.has(row.name),
        fields: { ...fieldsOf(row), keys: shownKeys },
      };
      // Of several with one name, the first is shown.
      const first = found.get(row.name);
      found.set(row.name, first === undefined ? present : { ...first, isAmbiguous: true });
    }
    return found;
  }

  return {
    read,
    plan: async (entries, around, by) =>
      await planChannels(deps, await read(), entries, around, by),
  };
}

type Around = { readonly prune: boolean; readonly groups: ReadonlySet<string> };

async function planChannels(
  deps: ChannelDeps,
  there: ReadonlyMap<string, PresentChannel>,
  entries: Entries,
  { prune, groups }: Around,
  { actor, nowMs }: By,
): Promise<Planned> {
  const { store, secrets } = deps;
  const act = { actor, nowMs };
  const faults: ConfigurationFault[] = [];
  const changes: ConfigurationChange[] = [];
  const wanted: Wanted[] = [];
  const calls: PlannedCall[] = [];
  const writes = ["createChannels", "removeChannels", "updateChannel"] as const;
  const saving = { ...deps, store: gatherWrites("channels", store, writes, calls) };
  for (const [name, entry] of entries) {
    const read = sentOf(name, entry);
    const present = there.get(name);
    if (!read.ok) {
      faults.push(...read.faults);
    } else if (present?.isAmbiguous === true) {
      faults.push({ path: entry.path, message: `有多个渠道名为 ${name}，请先改名` });
    } else {
      const found = await faultsOf(entry.path, async () => {
        const want = wantedOf(secrets, name, entry, read.sent, present);
        wanted.push(want);
        const change = compareFields(want, present?.fields);
        if (change === undefined) return;
        changes.push(change);
        faults.push(...missingGroups(entry.path, change, groups));
        const { keys, ...others } = read.sent;
        const hasNewKeys = change.fields.some(({ field }) => field === "keys");
        const sent = { ...others, keys: hasNewKeys ? keys : undefined };
        await (present === undefined
          ? createChannels(saving, { ...sent, created_time: undefined }, act)
          : updateChannel(saving, { ...sent, id: present.id }, act));
      });
      faults.push(...found.map(inFileNames));
    }
  }
  const gone = prune ? [...there].filter(([name]) => !entries.has(name)) : [];
  changes.push(...gone.map(([name, { fields }]) => removalOf("channel", name, fields)));
  if (gone.length > 0) {
    const all = await store.loadChannels(null);
    const ids = all.filter(({ row }) => !entries.has(row.name)).map(({ row }) => row.id);
    await saving.store.removeChannels({ ids, ...act });
  }
  return { changes, faults, calls, wanted };
}

/** Makes what the console would send of an entry. */
function sentOf(name: string, entry: Entry) {
  const fields = asFields(entry.value);
  if (fields === undefined) {
    return { ok: false, faults: [{ path: entry.path, message: noFields }] } as const;
  }
  const faults = [...unknownFields(entry, fieldNames)];
  const type = typeOf(fields["type"]);
  if (fields["type"] !== undefined && type === undefined) {
    const message = `不支持的渠道类型：${JSON.stringify(fields["type"])}`;
    faults.push({ path: [...entry.path, "type"], message });
  }
  const { groups, enabled, key, keys, ...others } = fields;
  const given = {
    ...Object.fromEntries(Object.entries(others).map(([field, of]) => [field, plain(of)])),
    name,
    type,
    group: groups === undefined ? undefined : plain(groups),
    status: enabled === undefined ? undefined : enabled === false ? 2 : 1,
    keys: key === undefined ? keys : [key],
  };
  if (enabled !== undefined && typeof enabled !== "boolean") {
    faults.push({ path: [...entry.path, "enabled"], message: "只能是 true 或 false" });
  }
  const parsed = contract.createChannel.input.safeParse(given);
  if (parsed.success && faults.length === 0) return { ok: true, sent: parsed.data } as const;
  const refused = parsed.success ? [] : schemaFaults(entry.path, parsed.error).map(inFileNames);
  return { ok: false, faults: [...faults, ...refused] } as const;
}

/** Says what a channel is to have in the fields that an entry names. */
function wantedOf(
  secrets: Secrets,
  name: string,
  entry: Entry,
  sent: z.output<typeof contract.createChannel.input>,
  present: PresentChannel | undefined,
): Wanted {
  const row =
    present === undefined
      ? newRow(sent, 0)
      : { ...present.row, ...editedSet(present.row, { ...sent, id: present.id }) };
  const fields: Record<string, string> = {};
  const given = Object.keys(asFields(entry.value) ?? {});
  const all: Readonly<Record<string, string>> = fieldsOf(row);
  for (const field of given) {
    if (field !== "key" && field !== "keys") fields[field] = all[field] ?? "";
  }
  if (given.includes("key") || given.includes("keys")) {
    const keys = sentKeys(sent, row.type);
    fields["keys"] = keys.map((key) => showSecret(keyFingerprint(secrets, key))).join(",");
  }
  return { kind: "channel", name, fields };
}

/** Names the groups of a changed channel that do not exist. */
function missingGroups(
  path: readonly string[],
  { fields }: ConfigurationChange,
  groups: ReadonlySet<string>,
): ConfigurationFault[] {
  const given = fields.find(({ field }) => field === "groups")?.after ?? "";
  return given
    .split(",")
    .filter((group) => group !== "" && !groups.has(group))
    .map((group) => ({ path: [...path, "groups"], message: `分组不存在：${group}` }));
}

function inFileNames({ path, message }: ConfigurationFault): ConfigurationFault {
  const names: Readonly<Record<string, string>> = { group: "groups", status: "enabled" };
  return { path: path.map((part, at) => (at === 2 ? (names[part] ?? part) : part)), message };
}

/** Shows a row by the fields of a document, without its keys. */
function fieldsOf(row: Omit<ChannelRow, "id">): Record<ColumnField | "enabled", string> {
  const shown = columnFields.map((field): [string, string] => {
    const value = row[columns[field]];
    if (field === "type") return [field, findProvider(row.type)?.id ?? String(row.type)];
    if (field === "auto_ban") return [field, String(value === 1)];
    return [field, value === null ? "" : String(value)];
  });
  // Safe cast: every field was shown under its name. A channel that the gateway has disabled by
  // itself is one that was left enabled.
  return { ...Object.fromEntries(shown), enabled: String(row.status !== 2) } as Record<
    ColumnField | "enabled",
    string
  >;
}

/** Reads the type of a channel: the name of a provider, or its number. */
function typeOf(value: unknown): number | undefined {
  if (typeof value === "number") return findProvider(value)?.type;
  if (typeof value !== "string") return undefined;
  return listProviders().find(({ id }) => id === value.trim().toLowerCase())?.type;
}

/** Writes lists and JSON as the console sends them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
