/** A whole answer, made of the events of a stream, so that both kinds of answers cannot differ. */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { CanonicalEvent, Finish, OutputItem, TokenLogprob, UpstreamFault } from "./event.ts";
import type { Usage } from "./usage.ts";

export type Answer = {
  readonly responseId: string;
  readonly model: string;
  readonly items: readonly OutputItem[];
  readonly logprobs: readonly TokenLogprob[];
  /** Null: the upstream reported none. */
  readonly usage: Usage | null;
  /** The service tier that the upstream named; empty: none that is known. */
  readonly namedTier: ServedTier;
  /** Null: the answer ended with a fault, or without saying why. */
  readonly finish: Finish | null;
  readonly fault: UpstreamFault | null;
};

/** Puts the events of an answer together. */
export function foldAnswer(events: Iterable<CanonicalEvent>): Answer {
  let responseId = "";
  let model = "";
  const items: OutputItem[] = [];
  const logprobs: TokenLogprob[] = [];
  let usage: Usage | null = null;
  let namedTier: ServedTier = "";
  let finish: Finish | null = null;
  let fault: UpstreamFault | null = null;
  for (const event of events) {
    switch (event.type) {
      case "start":
        ({ responseId, model, namedTier = "" } = event);
        break;
      case "item-end":
        items.push(event.item);
        break;
      case "logprobs":
        logprobs.push(...event.tokens);
        break;
      case "usage":
        ({ usage } = event);
        namedTier = (event.namedTier ?? event.tier) || namedTier;
        break;
      case "finish":
        ({ finish } = event);
        break;
      case "fault":
        ({ fault } = event);
        break;
      default: // a piece of an item, which its end repeats
    }
  }
  return { responseId, model, items, logprobs, usage, namedTier, finish, fault };
}
