/** Moves channels, codes and prices here. */

import { isPlain } from "@tollgate/contract/fields/fields.ts";
import { decimalPlacesMax, decimalText } from "@tollgate/contract/money/decimals.ts";
import { type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import { systemActor } from "#modules/audit/audit.ts";
import {
  addImportedChannel,
  channelFault,
  isStorable,
} from "#modules/channels/imported-channels.ts";
import { plainNumber } from "#modules/configuration/configuration.ts";
import type { NeutralSettings } from "#modules/import/import.ts";
import { findImported, listUsedGroups, noteImported } from "#modules/import/imports.repo.ts";
import { noteChange } from "#modules/import/report.ts";
import { RowFault } from "#modules/import/values.ts";
import { openCounters } from "#modules/ledger/ledger.ts";
import { findPrices, saveDerived } from "#modules/pricing/pricing.ts";
import { addImportedCode, isCodeTaken } from "#modules/redemptions/imported-redemptions.ts";
import { judged, type Move, moveTables } from "./move.ts";
import { sourceName } from "./move-users.ts";

export async function moveChannels(move: Move): Promise<void> {
  const { report, importId, writes, convert } = move;
  await moveTables(move, "channel", move.reader.channels, async (tx, rows) => {
    const ids = rows.map(({ id }) => id);
    const known = await findImported(tx, importId, "channel", ids);
    for (const channel of rows) {
      // Root may have changed the channel here, so a later run leaves it alone.
      if (known.has(channel.id)) {
        report.rows.channel.same += 1;
        continue;
      }
      await judged(move, "channel", channel.id, async () => {
        const used = Math.max(0, convert("used_quota", channel.usedQuota));
        if (!isStorable(channel)) {
          throw new RowFault("name", "or models are none that can be stored");
        }
        const fault = channelFault(channel, move);
        if (fault !== null) {
          const what = `${channel.name.slice(0, shownMax)} comes disabled: ${fault}`;
          noteChange(report, { kind: "channel", id: channel.id, what });
        }
        if (!writes) {
          report.rows.channel.created += 1;
          return;
        }
        const id = await addImportedChannel(tx, channel, { ...move, nowMs: move.now() });
        if (id === null) throw new Error(`channel ${channel.id} was not stored`);
        report.rows.channel.created += 1;
        await openCounters(tx, { kind: "channel", id, used_quota: used, request_count: 0 });
        await noteImported(tx, importId, "channel", {
          source_id: channel.id,
          target_id: id,
          seen: "",
        });
      });
    }
  });
}

/** How much of a name is shown, in characters. */
const shownMax = 60;

const usedCode = 3;

export async function moveCodes(move: Move): Promise<void> {
  const { report, importId, secrets, convert, taken } = move;
  await moveTables(move, "code", move.reader.codes, async (tx, rows) => {
    const ids = rows.map(({ id }) => id);
    const known = await findImported(tx, importId, "code", ids);
    for (const code of rows) {
      if (known.has(code.id)) {
        report.rows.code.same += 1;
        continue;
      }
      if (code.isDeleted || code.status === usedCode) {
        report.rows.code.left += 1;
        continue;
      }
      await judged(move, "code", code.id, async () => {
        const quota = convert("quota", code.quota);
        if (quota < 1) throw new RowFault("quota", "is not above 0");
        if (taken.has(`code ${code.key}`) || (await isCodeTaken(tx, secrets, code.key))) {
          throw new RowFault("key", "is a code that is here already");
        }
        report.rows.code.created += 1;
        report.sums.codes += quota;
        if (!move.writes) {
          taken.add(`code ${code.key}`);
          return;
        }
        const name = isPlain(code.name) ? code.name.slice(0, shownMax) : `code ${code.id}`;
        const batchId = sourceName(move);
        const id = await addImportedCode(tx, code, { secrets, quota, name, batchId });
        const row = { source_id: code.id, target_id: id, seen: "" };
        await noteImported(tx, importId, "code", row);
      });
    }
  });
}

type Maps = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the maps of prices, whose numbers become decimals; what is no such map is noted. */
function readPriceMaps({ prices }: NeutralSettings, fault: (name: string) => void): Maps {
  const maps: Record<string, Record<string, string>> = {};
  for (const [name, text] of prices) {
    try {
      const found = JSON.parse(text);
      const entries = Object.entries(Object(found)).flatMap(([key, value]) =>
        typeof value === "number" && value >= 0 ? decimalOf(key, value) : [],
      );
      maps[name] = Object.fromEntries(entries);
    } catch {
      fault(name);
    }
  }
  return maps;
}

/** Writes a number as a decimal of a price list: rounded, where it has more places than one can have. */
function decimalOf(key: string, value: number): [key: string, text: string][] {
  const own = plainNumber(value);
  const text = decimalText.safeParse(own).success
    ? own
    : plainNumber(Number(value.toFixed(decimalPlacesMax)));
  return decimalText.safeParse(text).success ? [[key, text]] : [];
}

/** Saves the prices of the source as a version, and a ratio of 1 for groups that have none. */
export async function movePrices(move: Move): Promise<void> {
  const { report, db, reader, importId } = move;
  const maps = readPriceMaps(reader.settings, (name) => {
    const what = `${name} of the options cannot be read`;
    noteChange(report, { kind: "channel", id: "0", what });
  });
  report.prices = Object.values(maps).reduce((sum, map) => sum + Object.keys(map).length, 0);
  if (!move.writes) return;
  const groups = await listUsedGroups(db);
  await db.transaction().execute(async (tx) => {
    const before = await findPrices(tx);
    await saveDerived(tx, {
      derive: (list) => withPrices(list, maps, groups),
      hasGroups: false,
      target: sourceName(move),
      reason: `${move.reader.kind}: ${move.source.shown}`,
      actor: systemActor,
      nowMs: move.now(),
    });
    const after = await findPrices(tx);
    if (before === undefined || after === undefined || before.id === after.id) return;
    const known = await findImported(tx, importId, "prices", [pricesKey]);
    const first = known.get(pricesKey)?.target_id ?? before.id;
    const row = { source_id: pricesKey, target_id: first, seen: String(after.id) };
    await noteImported(tx, importId, "prices", row);
  });
}

/** Under this id it is noted which prices were in force before the import, and since. */
export const pricesKey = "versions";

/** Puts prices of a source into a list; a model that has its price there has no other one here. */
function withPrices(list: PriceList, maps: Maps, groups: readonly string[]): PriceList {
  const { GroupRatio = {}, ModelPrice = {}, ModelRatio = {}, ...others } = maps;
  const models = new Set([...Object.keys(ModelPrice), ...Object.keys(ModelRatio)]);
  const without = (map: Readonly<Record<string, unknown>> | undefined) =>
    Object.fromEntries(Object.entries(map ?? {}).filter(([model]) => !models.has(model)));
  const missing = groups.filter((group) => !Object.hasOwn(list.GroupRatio, group));
  const ones = Object.fromEntries(missing.map((group) => [group, "1"]));
  const merged: Record<string, unknown> = { ...list };
  for (const part of perModel) if (part in merged) merged[part] = without(Object(merged[part]));
  for (const [name, map] of Object.entries(others)) {
    merged[name] = { ...Object(merged[name]), ...map };
  }
  return priceList.parse({
    ...merged,
    GroupRatio: { ...list.GroupRatio, ...ones, ...GroupRatio },
    ModelPrice: { ...without(list.ModelPrice), ...ModelPrice },
    ModelRatio: { ...without(list.ModelRatio), ...ModelRatio },
  });
}

/** Parts of a list that say what else a model costs: none of them holds beside another's price. */
const perModel = [
  "LongContextPrices",
  "ServiceTierPrices",
  "HourPrices",
  "SearchPrices",
  "TokenKindPrices",
  "Sources",
] as const satisfies readonly (keyof PriceList)[];

export async function countRows({
  source,
  reader,
}: Pick<Move, "reader" | "source">): Promise<number> {
  let rows = 0;
  for (const { table } of [...reader.users, ...reader.tokens, ...reader.channels]) {
    if (source.tables.has(table)) rows += await source.count(table);
  }
  return rows;
}
