/** `tollgate prices sync`: reads the lists of sources, and prints what would change. */

import type { DraftLine } from "@tollgate/contract/endpoints/price-sources.ts";
import { existsSync, readFileSync } from "node:fs";
import { Refusal } from "#base/refusal.ts";
import { openErrorTexts } from "#http/error-texts.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { systemActor } from "#modules/audit/audit.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";
import type { ReadSource } from "#modules/pricing/sources/sources.repo.ts";
import { type SyncDeps, syncSource } from "#modules/pricing/sources/sync-source.ts";
import type { PricesArguments } from "./prices-arguments.ts";

type Deps = Pick<SyncDeps, "catalogueFile" | "transport"> & {
  readonly print: (line: string) => void;
  readonly tell: (line: string) => void;
  readonly nowMs: number;
};

/** Syncs one source, or all of them. @returns the exit code. */
export async function runSync(
  db: Db,
  asked: Extract<PricesArguments, { readonly verb: "sync" }>,
  { print, tell, nowMs, ...given }: Deps,
): Promise<number> {
  const words = openErrorTexts({ language: () => "en", showQuota: String });
  const store = bindStore(pricingStore, db);
  const deps = { ...given, store, applyChanges: async () => {}, now: () => nowMs };
  const all: readonly ReadSource[] = await store.listSources();
  const wanted = all.filter(
    ({ id, name }) => asked.source === null || String(id) === asked.source || name === asked.source,
  );
  if (wanted.length === 0) {
    tell(all.length === 0 ? "There are no price sources yet." : "There is no such price source:");
    for (const { id, name, kind, url } of all) tell(`${id}  ${name}  ${kind}  ${url}`);
    return 1;
  }
  if (asked.file !== null && !existsSync(asked.file)) {
    tell(`There is no file ${asked.file}.`);
    return 1;
  }
  const text = asked.file === null ? "" : readFileSync(asked.file, "utf8");
  let code = 0;
  for (const source of wanted) {
    try {
      const isScheduled = asked.applies;
      const { id } = await syncSource(deps, source, { text, isScheduled, actor: systemActor });
      const draft = await store.readDraft(id);
      for (const line of draft.lines) print(`${source.name}: ${lineOf(line)}`);
      for (const { place, message } of draft.fault_lines) {
        tell(`${source.name}: ${place}: ${words(message, null)}`);
      }
      const { compared, waiting, accepted, faults } = draft;
      tell(
        `${source.name}: ${compared} prices compared, ${waiting} changes wait, ` +
          `${accepted} are saved, ${faults} lines of the list were refused.`,
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell(`${source.name}: ${words(error.message, null)}`);
      code = 1;
    }
  }
  return code;
}

function lineOf({ model, field, now, proposed, change, waits, state }: DraftLine): string {
  const percent = change === null ? "" : ` (${change > 0 ? "+" : ""}${change} %)`;
  const reasons = waits.length === 0 ? "" : `, the rules do not allow it: ${waits.join(", ")}`;
  return `${model} ${field}: ${now ?? "no price"} → ${proposed}${percent} [${state}${reasons}]`;
}
