/** Takes what processors say, however it arrives, and has orders credited. */

import { readPercent } from "@tollgate/contract/endpoints/agents.ts";
import type { RawRequest } from "@tollgate/contract/endpoints/orders.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Applied, PaymentStore } from "./payments.store.ts";
import type { OrderRow } from "./payments.ts";
import type { Processor, ProcessorDeps, Reading, ReversalFact } from "./processors/processor.ts";

type SettleDeps = {
  readonly store: PaymentStore;
  readonly money: Money;
  readonly processor: ProcessorDeps;
  /** Unix milliseconds. */
  readonly now: () => number;
};

type Source = "notify" | "poll" | "return" | "root";

type Arrived = {
  readonly source: Source;
  readonly raw: string;
  readonly clientIp: string;
};

/** What came of a message. */
type Outcome = {
  /**
   * `stored`: the credit or reversal that the message tells of; `noted`: it tells of neither.
   * `failed`: it was not believed, or could not be applied.
   */
  readonly became: "failed" | "noted" | "stored";
  readonly verdict: string;
};

export type Settle = {
  /** Judges a message of a processor's server, or what the browser brought back from it. */
  take(
    processor: Processor,
    request: RawRequest,
    from: { readonly source: Source; readonly clientIp: string },
  ): Promise<Outcome>;
  /** Asks the processor about an order. `isQuiet`: an order that is not paid yet is not noted. */
  ask(
    processor: Processor,
    order: OrderRow,
    from: { readonly source: Source; readonly clientIp: string; readonly isQuiet: boolean },
  ): Promise<Outcome>;
};

/** The share of a top-up that its user's inviter earns, in hundredths of a per cent. */
export function rebateBp({ readOption }: Pick<ProcessorDeps, "readOption">): number {
  return readPercent(readOption("TopUpRebatePercent")) ?? 0;
}

export function openSettle(deps: SettleDeps): Settle {
  const { store, money, now } = deps;

  async function settle(
    processor: Processor,
    reading: Reading,
    arrived: Arrived,
    isQuiet: boolean,
  ): Promise<Outcome> {
    const arrival = { ...arrived, rebateBp: rebateBp(deps.processor), nowMs: now() };
    if (reading.kind === "paid") {
      const { fact } = reading;
      const order = await store.findOrder(fact.number);
      if (order === undefined) return { became: "failed", verdict: "unknown order" };
      const applied: Applied = await money.creditUser(order.user_id, () =>
        store.applyPayment(processor.id, fact, arrival),
      );
      return outcomeOf(applied);
    }
    if (reading.kind === "reversed") {
      await askFirst(processor, reading.fact.number, arrived);
      return await reverse(deps, processor, reading.fact, arrival);
    }
    if (reading.kind === "ignored") return { became: "noted", verdict: "ignored" };
    if (reading.kind === "failed") {
      await store.noteFailure(reading.number, arrival);
      return { became: "noted", verdict: "failed" };
    }
    if (reading.kind === "refused") {
      const verdict = `refused: ${reading.why}`;
      if (!isQuiet) await store.noteEvent(reading.number, verdict, arrival);
      return { became: "failed", verdict };
    }
    return await notePending(reading, arrival, isQuiet);
  }

  /** What root must know of an answer is noted once, however often it comes and whoever asks. */
  async function notePending(
    { number, why }: Extract<Reading, { readonly kind: "pending" }>,
    arrival: Arrived & { readonly nowMs: number },
    isQuiet: boolean,
  ): Promise<Outcome> {
    const verdict = why === undefined ? "pending" : `pending: ${why}`;
    if (why !== undefined) await store.noteEventOnce(number, verdict, arrival);
    else if (!isQuiet) await store.noteEvent(number, verdict, arrival);
    return { became: "noted", verdict };
  }

  async function ask(
    processor: Processor,
    order: OrderRow,
    { isQuiet, ...from }: Omit<Arrived, "raw"> & { readonly isQuiet: boolean },
  ): Promise<Outcome> {
    const reference = await store.findReference(order.id);
    const said = await processor.ask(order, reference, deps.processor);
    if (said === undefined) return { became: "failed", verdict: "no answer" };
    const raw = processor.redact(said.raw, deps.processor);
    return await settle(processor, said.reading, { ...from, raw }, isQuiet);
  }

  /** Money that goes back may be told of before the payment. */
  async function askFirst(processor: Processor, number: string, { clientIp }: Arrived) {
    const order = await store.findOrder(number);
    if (order === undefined || order.paid_at !== 0) return;
    await ask(processor, order, { source: "poll", clientIp, isQuiet: true });
  }

  return {
    async take(processor, request, from) {
      const reading = await processor.read(request, deps.processor);
      const text = request.body === "" ? request.query : `${request.query}\n${request.body}`;
      const raw = processor.redact(text, deps.processor);
      return await settle(processor, reading, { ...from, raw }, false);
    },

    ask,
  };
}

/** Takes the quota of money that went back, or gives it back when the money stays after all. */
async function reverse(
  { store, money }: SettleDeps,
  { id }: Processor,
  fact: ReversalFact,
  arrival: Arrived & { readonly nowMs: number; readonly rebateBp: number },
): Promise<Outcome> {
  const planned = await store.planReversal(id, fact);
  if (planned === undefined) return { became: "failed", verdict: "unknown payment" };
  const { userId, quota } = planned;
  const applied =
    fact.state === "refused"
      ? await money.creditUser(userId, () => store.applyReversal(id, fact, 0, arrival))
      : await money.takeUser(userId, quota, (most) => store.applyReversal(id, fact, most, arrival));
  return outcomeOf(applied);
}

function outcomeOf({ settled, verdict }: Applied): Outcome {
  return { became: settled ? "stored" : "failed", verdict };
}
