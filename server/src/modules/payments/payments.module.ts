/** Orders, and what payment processors say about them. */

import { defineModule, type Given } from "#modules/module.ts";
import { ask as askOutside } from "#network/ask.ts";
import { orderHandlers } from "./orders.handlers.ts";
import { isSetUp, paymentHandlers } from "./payments.handlers.ts";
import type { PaymentStore } from "./payments.store.ts";
import type { AskProcessor, Processor } from "./processors/processor.ts";
import { findProcessor, processors } from "./processors/registry.ts";
import { openSettle } from "./settle-payments.ts";

/** A person waits for most answers of a processor. */
const askLimits = { connectMs: 5_000, firstByteMs: 8_000, betweenChunksMs: 5_000, totalMs: 12_000 };

/** The largest answer of a processor, in bytes. */
const answerBytesMax = 256 * 1024;

const suffixLength = 6;

/** How often orders that are not paid are looked for, and how many are asked about each time. */
const sweepMs = 30_000;
const sweptMax = 20;

export const paymentsModule = defineModule({
  needs: [],
  open(ports: Given<PaymentStore>) {
    const { store, options, random, clock, network, snapshot, program, log } = ports;
    const ask: AskProcessor = async ({ url, form, headers = {}, ...sent }) => {
      const body = form === undefined ? sent.body : new URLSearchParams(form).toString();
      const answer = await askOutside(network.transport, {
        method: body === undefined ? "GET" : "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "*/*", ...headers },
        body: body ?? null,
        limits: askLimits,
        answerBytesMax,
      });
      return answer.ok ? answer : undefined;
    };
    const { processorUrls: urls } = program;
    const processor = { readOption: options.read, ask, urls, now: clock.now };
    const settle = openSettle({ ...ports, processor, now: clock.now });
    const sweep = async () => {
      for (const order of await store.takeDueOrders(sweptMax, clock.now())) {
        const found = findProcessor(order.processor);
        if (found === undefined) continue;
        const from = { source: "poll", clientIp: "", isQuiet: true } as const;
        const { verdict } = await settle.ask(found, order, from);
        if (verdict !== "pending" && verdict !== "no answer") {
          log.info({ order: order.number, verdict }, "a processor answered about an order");
        }
      }
    };
    return {
      handlers: [
        ...paymentHandlers({
          ...ports,
          settle,
          processor,
          readOption: options.read,
          quotaPerUnit: () => snapshot.prices.list.QuotaPerUnit,
          localAddress: program.localAddress,
          newSuffix: () => random.text(suffixLength),
          now: clock.now,
        }),
        ...orderHandlers({ ...ports, settle, processor, now: clock.now }),
      ],
      pageSources: () => ({
        scripts: [],
        frames: [],
        images: [],
        popups: false,
        forms: Object.values<Processor>(processors)
          .filter(({ id }) => isSetUp(options.read, id))
          .flatMap(({ formOrigins }) => formOrigins(options.read)),
      }),
      jobs: [
        { name: "order-sweep", everyMs: sweepMs, runs: "once-in-all-nodes", run: sweep },
      ] as const,
    };
  },
});
