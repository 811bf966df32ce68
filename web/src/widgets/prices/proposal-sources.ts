/** What of a channel the proposals of prices for its models depend on. */

import type { ProposalSource } from "./proposals.ts";

/**
 * Returns where proposals of prices for a channel's models come from; none for a channel without a
 * type.
 *
 * @param mapping the channel's names of models upstream, as JSON.
 */
export function proposalSources(
  type: number,
  baseUrl: string,
  models: readonly string[],
  mapping: string,
): readonly ProposalSource[] {
  const upstream = upstreamNames(mapping);
  const named = models.map((model) => ({ model, upstream: upstream.get(model) ?? model }));
  return type === 0 || models.length === 0 ? [] : [{ channelType: type, baseUrl, models: named }];
}

/** Reads what the upstream calls the models; nothing while the mapping is being typed. */
function upstreamNames(mapping: string): ReadonlyMap<string, string> {
  try {
    const read: unknown = JSON.parse(mapping);
    return new Map(
      Object.entries(Object(read)).flatMap(([model, name]) =>
        typeof name === "string" && name !== "" ? [[model, name] as const] : [],
      ),
    );
  } catch {
    return new Map();
  }
}
