/**
 * Charges a realtime session, response by response. One hold is open at a time: it pays for the
 * response that runs or comes next. Each response has its own request id and log row.
 */

import {
  charge,
  highestPrice,
  noUsage,
  priceAt,
  reservedMinute,
} from "@tollgate/contract/money/charge.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { inputOf, type ReadUsage, type Usage } from "#canonical/usage.ts";
import { askHold, findPrice } from "#relay/admission/admit.ts";
import type { Bill, Credential } from "#relay/call/facts.ts";
import { type Counted, promptUntold } from "#relay/meter/count.ts";
import { makePlan, type Plan } from "#relay/plan.ts";
import { chargedLog, noLosses } from "#relay/settle/record.ts";
import { checkBill, openBill, release, settle } from "#relay/settle/settle.ts";
import type { ChannelView } from "#ports/snapshot.ts";

/** Input tokens of sound that are held for a response, besides the conversation before it. */
const inputHeld = 1_000;

/** What all responses of a session have in common. */
export type SessionFacts = {
  readonly state: RelayState;
  readonly credential: Credential;
  readonly clientIp: string;
  readonly plan: Plan;
  /** The tags of each response. */
  readonly tags: readonly string[];
  /** The channels that were tried; the last one answers. */
  readonly tried: ChannelView[];
};

/** The hold of the response that runs, or comes next. */
export type RealtimeBill = {
  /** Settles the response. Resolves when the charge is committed, or will be later. */
  end(counted: Counted, interrupted: string): Promise<void>;
  /** Ends the hold without a charge. */
  release(): void;
  check(nowMs: number): void;
};

/**
 * Holds quota for one response. The model reads the conversation before it once more.
 *
 * @param requestId of the response.
 * @param last what the response before was charged for; null: this is the first one.
 * @throws CallRefusal if it cannot be held, also as a rejection.
 */
export async function holdResponse(
  session: SessionFacts,
  requestId: string,
  last: Usage | null,
): Promise<RealtimeBill> {
  const minute = reservedMinute(session.plan.price, session.state.deps.now());
  return await holdFor(session, requestId, costOfResponse(session, last, minute), minute);
}

/**
 * Returns the most that a response may cost, in quota units.
 *
 * @param minute of the day at which it is reserved; undefined: all have the same price.
 */
export function costOfResponse(
  { plan, state }: Pick<SessionFacts, "plan" | "state">,
  last: Usage | null,
  minute = reservedMinute(plan.price, state.deps.now()),
): number {
  const outputAudio = state.deps.snapshot.options.outputTokensHeld;
  const { input, inputAudio, inputImage } = last === null ? noUsage : conversationAfter(last);
  const usage = { ...noUsage, input, inputAudio: inputAudio + inputHeld, inputImage, outputAudio };
  // Nobody knows how long the user speaks, so the prompt may become a long one.
  return charge(highestPrice(priceAt(plan.price, minute), Infinity, "default"), usage);
}

/** The input of the next response, as far as it is known: all that was read and said so far. */
function conversationAfter(last: Usage): Pick<Usage, "input" | "inputAudio" | "inputImage"> {
  return {
    input: inputOf(last) - last.inputAudio - last.inputImage + last.output,
    inputAudio: last.inputAudio + last.outputAudio,
    inputImage: last.inputImage,
  };
}

/**
 * Charges what a model of its own has transcribed of the user's speech, as a call of that model.
 *
 * @throws CallRefusal if the quota is not enough, as a rejection.
 */
export async function chargeTranscription(
  session: SessionFacts,
  model: string,
  counted: Counted,
): Promise<void> {
  const { deps } = session.state;
  const { group } = session.plan;
  const { prices } = deps.snapshot;
  const price = findPrice(deps, model, group);
  const kind = { formatId: "openai-realtime", modality: "transcriptions", isStream: true } as const;
  const plan = makePlan({ group, model, tiers: [], pinned: false, prices, price }, kind);
  const minute = reservedMinute(price, deps.now());
  const want = charge(priceAt(price, minute), counted.usage);
  const bill = await holdFor({ ...session, plan }, deps.newRequestId(), want, minute);
  await bill.end(counted, "");
}

async function holdFor(
  { state, credential, clientIp, plan, tags, tried }: SessionFacts,
  requestId: string,
  want: number,
  minute: number | undefined,
): Promise<RealtimeBill> {
  const { deps } = state;
  const hold = await askHold(deps, { requestId, credential, plan, tags }, want, want);
  const bill: Bill = openBill(hold);
  const facts: BillFacts = {
    requestId,
    clientIp,
    credential,
    model: plan.model,
    group: plan.group,
    isStream: true,
    plan,
    price: priceAt(plan.price, minute),
    bill,
    reading: null,
    leftOut: noLosses,
    tags,
    tried,
    startedAt: deps.now(),
    firstByteMs: null,
  };
  return {
    async end(counted, interrupted) {
      const charged = atMinute(counted, minute);
      await settle(deps, facts, chargedLog(facts, charged, { nowMs: deps.now(), interrupted }));
    },
    release: () => release(bill),
    check: (nowMs) => checkBill(deps.log, facts, nowMs),
  };
}

function atMinute(counted: Counted, minute: number | undefined): Counted {
  return minute === undefined ? counted : { ...counted, usage: { ...counted.usage, minute } };
}

type BillFacts = Pick<
  OpenCall,
  | "bill"
  | "clientIp"
  | "credential"
  | "firstByteMs"
  | "group"
  | "isStream"
  | "leftOut"
  | "model"
  | "plan"
  | "price"
  | "tags"
  | "reading"
  | "requestId"
  | "startedAt"
> & { readonly tried: ChannelView[] };

/** What the gateway itself has counted of a response. */
type OwnCount = {
  readonly input: number;
  readonly output: number;
  readonly heard: number;
  readonly said: number;
};

/**
 * Returns the counts that a response is charged by: the upstream's if they are plausible. Of one that
 * did not end, the output is what was reported or what came, whichever is more.
 */
export function countResponse(
  { usage, isEnded }: { readonly usage: ReadUsage; readonly isEnded: boolean },
  own: OwnCount,
  outputMax: number,
): Counted {
  const seen = own.output + own.said;
  if (usage.kind === "zero" && seen === 0) {
    return { usage: noUsage, source: "upstream", doubt: "", hiddenOutput: false, seen };
  }
  if (usage.kind === "ok") {
    const { contradiction: doubt, usage: told } = usage;
    if (told.output + told.outputAudio <= Math.max(outputMax, 2 * seen)) {
      const known = { doubt, hiddenOutput: false, seen };
      if (usage.untold === "prompt") {
        const heard = { input: own.input, inputAudio: own.heard };
        const counted = { ...withSaid(told, isEnded ? nothingSaid : own), ...heard };
        return { usage: counted, source: "suspect", ...known, doubt: promptUntold };
      }
      const isWhole = isEnded && (usage.untold === undefined || seen === 0);
      if (isWhole) return { usage: told, source: "upstream", ...known };
      return { usage: withSaid(told, own), source: "upstream+seen", ...known };
    }
  }
  const doubt =
    usage.kind === "suspect" ? usage.reason : usage.kind === "ok" ? "more output than came" : "";
  return {
    usage: {
      ...noUsage,
      input: own.input,
      output: own.output,
      inputAudio: own.heard,
      outputAudio: own.said,
    },
    source: doubt === "" ? "local" : "suspect",
    doubt,
    hiddenOutput: false,
    seen,
  };
}

const nothingSaid = { output: 0, said: 0 };

function withSaid(told: Usage, own: Pick<OwnCount, "output" | "said">): Usage {
  return {
    ...told,
    output: Math.max(told.output, own.output),
    outputAudio: Math.max(told.outputAudio, own.said),
  };
}
