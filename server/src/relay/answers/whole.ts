/**
 * Answers a call that is not streamed: the upstream's answer is read whole, billed, and passed on
 * unchanged.
 */

import { countResults } from "#formats/shared/media/count-results.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { WholeAnswer } from "#relay/ways/way.ts";
import { chargedAs, usageTrust } from "#relay/meter/charged-as.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { errorResponse, headersOfType, inWordsOf, jsonHeaders } from "#relay/call/call-refusal.ts";
import { lossHeaders } from "./loss-headers.ts";
import {
  type Counted,
  countCut,
  countEnded,
  countHere,
  upstreamCount,
} from "#relay/meter/count.ts";
import type { MeteredAnswer } from "#relay/meter/answer-meter.ts";
import type { StreamEnd } from "#relay/meter/stream-meter.ts";
import { noteIssued } from "#relay/routing/issuer.ts";
import { keepAnswer } from "#relay/call/kept.ts";
import { chargedLog } from "#relay/settle/record.ts";
import { costOf, settle } from "#relay/settle/settle.ts";
import { answerWithheld, storeRetrySeconds } from "#relay/call/refusals.ts";
import { tellWhole } from "./told-usage.ts";
import { endings } from "#relay/call/endings.ts";
import { chargedFor, nothingCame } from "./results.ts";

/** The answer to send. `counted` null: the upstream's answer is withheld, and not charged. */
type Answered = { readonly response: ClientResponse; readonly counted: Counted | null };

export async function answerWhole(
  { deps }: RelayState,
  call: OpenCall,
  opened: WholeAnswer,
): Promise<Answered> {
  const { requestId } = call;
  const { channel, mediaType, metered } = opened;
  call.firstByteMs = deps.ticker.nowMs() - call.startedMs;
  const results = countResults(opened.bytes, call.body.modality);
  const body = chargedFor(call.body, results);
  const trust = usageTrust(call, channel);
  const tokens =
    (results === 0 ? nothingCame : null) ??
    upstreamCount(body, metered.usage, metered, trust) ??
    (await countEnded(deps, call, seenOf(metered), trust));
  const counted = chargedAs(call, metered, tokens);
  const bytes = tellWhole(call, opened, counted);
  const interrupted = call.clientGone ? endings.disconnected.note : "";
  noteIssued(deps, call, channel, bytes);
  const log = chargedLog(call, counted, {
    nowMs: deps.now(),
    interrupted,
    reported: metered.usage,
  });
  const billed = await settle(deps, call, log);
  if (billed === "settled") {
    call.transcript?.add(bytes);
    keepAnswer(deps, call, bytes);
    const headers = lossHeaders(call);
    const shared = call.body.work === undefined ? jsonHeaders : headersOfType(mediaType);
    return {
      response: {
        status: 200,
        shared,
        requestId,
        cost: costOf(call),
        body: bytes,
        ...headers,
      },
      counted,
    };
  }
  // The charge is not committed in time, so the answer is withheld and not charged. If the client
  // has disconnected, there is no answer to withhold, and the charge stays.
  const isWithheld = interrupted === "";
  if (isWithheld) call.bill.hold.reverse();
  const error = inWordsOf(call, deps.errorText, answerWithheld);
  const withheld = { status: 503, error, requestId };
  return {
    response: errorResponse(call.format, withheld, storeRetrySeconds),
    counted: isWithheld ? null : counted,
  };
}

/** Returns what came of a whole answer, as far as the gateway has to count it. */
function seenOf(metered: MeteredAnswer) {
  const { contentBytes, usage } = metered;
  return { ...metered.readOutput(), contentBytes, usage, reasoningShare: 0 };
}

/**
 * Bills a call whose client disconnected, or whose user stopped it, before the upstream answered: it
 * is charged for its prompt, which the upstream had received.
 *
 * @param came what was reported by then in a stream without output; undefined: nothing began.
 */
export async function billDisconnected(
  { deps }: RelayState,
  call: OpenCall,
  came: StreamEnd | undefined,
): Promise<Counted> {
  const channel = call.tried.at(-1);
  const isTold = came !== undefined && channel !== undefined;
  const tokens = isTold
    ? await countCut(deps, call, came, usageTrust(call, channel))
    : await countHere(deps, call, { kind: "missing" }, noOutput);
  const counted = chargedAs(call, came, tokens);
  const { stop } = call;
  const isByHand = stop !== null && stop.isOwn !== undefined;
  const end = {
    nowMs: deps.now(),
    interrupted: isByHand ? stop.note : endings.disconnected.note,
    reported: came?.usage,
  };
  await settle(deps, call, chargedLog(call, counted, end));
  return counted;
}

const noOutput = { text: "", textTruncated: false, outputTokens: 0 };
