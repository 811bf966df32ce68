/**
 * Why each channel that offers a model was or was not taken. Only a choice that saw more than the plan
 * is kept; the words are made when somebody reads them.
 */

import { writeCandidates } from "@tollgate/contract/logs/candidates.ts";
import type { Block } from "./circuit.ts";
import type { ChannelView, Tier } from "#ports/snapshot.ts";

/** What a choice saw besides the plan. */
export type Choice = {
  /** The channels that can read all of the request; null: all can, or nobody is known. */
  readonly readers: readonly Tier[] | null;
  /** The channels that were skipped as failing; null: there were none. */
  readonly blocks: ReadonlyMap<number, Block> | null;
  /** How many attempts were made before. */
  readonly triedBefore: number;
};

/** Why a channel was not taken, or that it was. */
type Why =
  /** It keeps failing, or has asked for a pause. */
  | "blocked"
  /** Its upstream cannot answer such calls. */
  | "cannot-carry"
  /** Another upstream has issued what the request sends back, or names. */
  | "issuer-elsewhere"
  | "taken"
  /** Its priority is lower than that of the one that was taken. */
  | "tier"
  /** It was tried before. */
  | "tried"
  /** Another of its priority was drawn, by weight. */
  | "weight";

/** The channels that offer the model, and those that are left out with the reason. */
type Candidates = {
  readonly tiers: readonly Tier[];
  readonly without: readonly { readonly channel: ChannelView; readonly why: Why }[];
};

/** Writes the channels of a plan as a row of the log has them; empty: there is one at most. */
export function candidatesText(
  { tiers, without = [] }: Pick<Candidates, "tiers"> & Partial<Candidates>,
  seen: Omit<Choice, "triedBefore"> = { readers: null, blocks: null },
): string {
  const whyOf = (channel: ChannelView): string => {
    const { blocks, readers } = seen;
    const isReader = readers?.some(({ channels }) => channels.includes(channel)) ?? true;
    return isReader ? (blocks?.get(channel.id)?.kind ?? "") : "issuer-elsewhere";
  };
  const rows = tiers.map(({ channels }) =>
    channels.map((channel) => ({ id: channel.id, why: whyOf(channel) })),
  );
  const others = without.map(({ channel, why }) => ({ id: channel.id, why: String(why) }));
  const count = rows.flat().length + others.length;
  return count <= 1 ? "" : writeCandidates([...rows, others]);
}

/** A call, as far as its choices are concerned. */
type Chosen = {
  readonly plan: Candidates;
  /** The channels that were tried, in order. */
  readonly tried: readonly ChannelView[];
  readonly choices?: readonly Choice[];
};

/**
 * Says of each channel of the plan why it was or was not taken.
 *
 * @param attempt the number of attempts before.
 */
export function explainChoice(
  { choices, plan, tried }: Chosen,
  attempt: number,
): ReadonlyMap<number, Why> {
  const seen = choices?.find(({ triedBefore }) => triedBefore === attempt);
  const chosen = tried[attempt];
  const before = tried.slice(0, attempt).map(({ id }) => id);
  const taken = plan.tiers.find(({ channels }) => channels.some(({ id }) => id === chosen?.id));

  function whyOf(channel: ChannelView, tier: Tier): Why {
    if (channel.id === chosen?.id) return "taken";
    if (before.includes(channel.id)) return "tried";
    if (seen?.blocks?.has(channel.id) === true) return "blocked";
    const readers = seen?.readers ?? null;
    const isReader = readers === null || readers.some(({ channels }) => channels.includes(channel));
    if (!isReader) return "issuer-elsewhere";
    return tier === taken ? "weight" : "tier";
  }

  const whys = new Map<number, Why>();
  for (const tier of plan.tiers) {
    for (const channel of tier.channels) whys.set(channel.id, whyOf(channel, tier));
  }
  for (const { channel, why } of plan.without) whys.set(channel.id, why);
  return whys;
}
