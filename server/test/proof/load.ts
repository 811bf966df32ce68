/** Makes load: callers without pause, each with its own token and one call at a time. */

import { chat, isWhole, requestIdOf } from "./chat-call.ts";
import type { PricedModel } from "./installation.ts";

export type Caller = {
  /** The caller's unique name; it is part of the marker of each of its calls. */
  readonly name: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly key: string;
  readonly model: PricedModel;
  readonly stream: boolean;
  /** The charge of one of the caller's calls, computed by hand. */
  readonly charge: number;
};

export type SentCall = {
  readonly caller: Caller;
  readonly marker: string;
  /** How the call ended; undefined: it is still in flight. */
  outcome: Outcome | undefined;
};

export type Outcome = {
  /** Whether the client received a good answer to its end. */
  readonly whole: boolean;
  /** HTTP status; 0: no head of an answer arrived. */
  readonly status: number;
  readonly requestId: string;
  /** The body; kept only when the answer is not whole. */
  readonly text: string;
};

type Load = {
  /** All calls so far, in the order they were sent. */
  readonly calls: readonly SentCall[];
  inFlight(): readonly SentCall[];
  /** Stops the callers. Resolves when the calls in flight have ended. */
  stop(): Promise<void>;
};

/** Pause of a caller after a refusal, so that refused callers do not crowd out the others. */
const refusedPauseMs = 150;

let markers = 0;

export function startLoad(origin: string, callers: readonly Caller[]): Load {
  const calls: SentCall[] = [];
  let stopping = false;

  async function run(caller: Caller): Promise<void> {
    while (!stopping) {
      markers += 1;
      const call: SentCall = { caller, marker: `${caller.name}#${markers}`, outcome: undefined };
      calls.push(call);
      const { key, model, stream } = caller;
      const sent = { key, model: model.name, stream, marker: call.marker };
      // Sends `max_tokens`, with which the hold is exactly the most that one call can cost; without
      // it, the hold is a default.
      const answer = await chat(origin, { ...sent, body: { max_tokens: outputMax(model) } });
      const whole = isWhole(answer, stream);
      const requestId = requestIdOf(answer);
      const text = whole ? "" : answer.text.slice(0, 2_000);
      call.outcome = { whole, status: answer.status, requestId, text };
      if (answer.status !== 200 && !stopping) await Bun.sleep(refusedPauseMs);
    }
  }

  const running = Promise.all(callers.map(run));
  return {
    calls,
    inFlight: () => calls.filter((call) => call.outcome === undefined),
    async stop() {
      stopping = true;
      await running;
    },
  };
}

function outputMax(model: PricedModel): number {
  return Math.max(1, model.script.events ?? 1);
}
