import type { RequestReader } from "#formats/format.ts";
import type { TierRules } from "#formats/shared/tiers/service-tiers.ts";
import { readBody } from "#formats/shared/read-body.ts";

/** Where a format has the limit of the output tokens. */
type LimitFields = {
  /** Fields of the body. */
  readonly limits?: readonly string[];
  /** Objects in the body, and fields of these. */
  readonly settings?: readonly string[];
  readonly settingLimits?: readonly string[];
  /** Absent: the format has no service tiers. */
  readonly tier?: TierRules;
};

/** Reads requests of a format that only upstreams speak, so that the gateway has written them. */
export function writtenRequests({
  limits = [],
  settings = [],
  settingLimits = [],
  tier,
}: LimitFields): RequestReader {
  // The gateway itself writes these requests, without tools of the provider.
  const unseen = { fields: [], toolTypes: [], toolKeys: [] };
  const rules = {
    limits,
    settings,
    settingLimits,
    settingCounts: [],
    unseen,
    isOwn: true,
    ...(tier && { tier }),
  };
  return {
    readRequest: (bytes, path) =>
      readBody(bytes, path, { input: "", inputKinds: [], namesModel: false, ...rules }),
    fields: { keptByOverride: ["stream"] },
    priced: [...limits, ...settings, ...(tier?.fields ?? [])],
  };
}
