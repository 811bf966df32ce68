import { role } from "@tollgate/contract/users.ts";
import { useMemo } from "react";
import { useSession } from "#widgets/server/use-status.ts";
import { useApplyPrices, useProposals } from "./model-prices.api.ts";
import { PriceProposals } from "./PriceProposals.tsx";

/**
 * What the catalogue proposes for the channel's models that have no price, before the channel is
 * saved. Only root sets prices.
 */
export function ModelPrices(channel: {
  /** Its type, 0: none is chosen, and what has been entered until now. */
  readonly type: number;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly mapping: string;
}) {
  const { type, baseUrl, models, mapping } = channel;
  const isRoot = useSession()?.role === role.enum.root;
  const sources = useMemo(() => {
    const upstream = upstreamNames(mapping);
    const named = models.map((model) => ({ model, upstream: upstream.get(model) ?? model }));
    return type === 0 || !isRoot ? [] : [{ channelType: type, baseUrl, models: named }];
  }, [isRoot, type, baseUrl, models, mapping]);
  const { data } = useProposals(sources);
  const { mutateAsync: apply } = useApplyPrices();
  return sources.length === 0 || models.length === 0 || data === undefined ? null : (
    <PriceProposals proposals={data} onApply={apply} />
  );
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
