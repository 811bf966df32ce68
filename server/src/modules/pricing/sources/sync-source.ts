/** Syncs sources: by hand for the console and the command line, and by the schedule. */

import type { PriceDraft } from "@tollgate/contract/endpoints/price-sources.ts";
import { Refusal } from "#base/refusal.ts";
import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import { type Actor, systemActor } from "#modules/audit/audit.ts";
import type { PriceNotices } from "#modules/notifications/notifications.ts";
import type { pricingStore } from "#modules/pricing/pricing.store.ts";
import { askBytes } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import { listBytesMax } from "./read-source.ts";
import type { ReadSource } from "./sources.repo.ts";

type SyncStore = Pick<
  RemoteStore<typeof pricingStore>,
  "claimDueSource" | "makeDraft" | "noteSync" | "readDraft" | "saveDraft"
>;

export type SyncDeps = {
  readonly store: SyncStore;
  readonly transport: Transport;
  /** The file that replaces the built-in catalogue as long as it is there. */
  readonly catalogueFile: string;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const limits = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  betweenChunksMs: 30_000,
  totalMs: 120_000,
};

type Sync = {
  /** The list itself; empty: it is read from the address of the source. */
  readonly text: string;
  readonly isScheduled: boolean;
  readonly actor: Actor;
};

/**
 * Reads the list of a source and saves a draft.
 * @throws Refusal `outside-failed` if the list cannot be fetched; `invalid-input` if it is none.
 */
export async function syncSource(
  deps: SyncDeps,
  source: ReadSource,
  { text, isScheduled, actor }: Sync,
) {
  const { store, catalogueFile, applyChanges, now } = deps;
  try {
    const list = text === "" ? await fetchList(deps.transport, source) : text;
    const nowMs = now();
    const made = await store.makeDraft({ source, list, catalogueFile, nowMs });
    if (!made.ok) throw new Refusal("invalid-input", made.message);
    const { content, faults } = made;
    const saved = await store.saveDraft({ source, content, faults, isScheduled, actor, nowMs });
    await store.noteSync({ id: source.id, error: "", nowMs });
    if (saved.accepted > 0) await applyChanges();
    return saved;
  } catch (error) {
    const message = error instanceof Refusal ? error.message : "同步中断，请重试";
    await store.noteSync({ id: source.id, error: message, nowMs: now() });
    throw error;
  }
}

/** The same by hand, with the draft. */
export async function syncByHand(
  deps: SyncDeps,
  source: ReadSource,
  { text, actor }: Omit<Sync, "isScheduled">,
): Promise<PriceDraft> {
  const { id } = await syncSource(deps, source, { text, actor, isScheduled: false });
  return await deps.store.readDraft(id);
}

/** @returns the bytes of the list; null: the source is the catalogue that this program uses. */
async function fetchList(transport: Transport, source: ReadSource): Promise<Uint8Array | null> {
  if (source.url === "") {
    if (source.kind === "catalogue") return null;
    throw new Refusal("invalid-input", "该来源没有地址，请粘贴或上传列表");
  }
  const answer = await askBytes(transport, {
    method: "GET",
    url: source.url,
    headers: { accept: source.kind === "csv" ? "text/csv, */*" : "application/json" },
    body: null,
    limits,
    answerBytesMax: listBytesMax,
  });
  if (!answer.ok) {
    const reason = answer.reason === "answer-too-large" ? "超过 20 MB" : answer.reason;
    throw new Refusal("outside-failed", `无法读取价格列表：${reason}`);
  }
  if (answer.status !== 200) {
    throw new Refusal("outside-failed", `无法读取价格列表：HTTP ${answer.status}`);
  }
  return answer.bytes;
}

const everyMs = 60_000;

type ScheduleDeps = SyncDeps & {
  readonly notices: Pick<PriceNotices, "pricesWait">;
  readonly log: Pick<Logger, "warn">;
};

/** Each node looks for a source whose time has come; the one that claims it syncs it. */
export function scheduledSyncs(deps: ScheduleDeps): Job {
  const run = async () => await syncDue(deps);
  return { name: "price-sources", everyMs, runs: "once-in-all-nodes", run };
}

/** Syncs all sources whose time has come, and tells root of what waits. */
export async function syncDue(deps: ScheduleDeps): Promise<void> {
  const { store, notices, log, now } = deps;
  for (;;) {
    const source = await store.claimDueSource(now());
    if (source === undefined) return;
    const { id, name } = source;
    try {
      const actor = systemActor;
      const saved = await syncSource(deps, source, { text: "", isScheduled: true, actor });
      const { waiting, accepted, isNew } = saved;
      if (isNew) await notices.pricesWait({ sourceId: id, name, waiting, accepted });
    } catch (error) {
      // The list of sources shows why; the next time it is tried again.
      log.warn({ source: id, error: String(error) }, "a source of prices could not be read");
    }
  }
}
