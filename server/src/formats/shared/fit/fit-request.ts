import type { CanonicalEvent } from "#canonical/event.ts";
import type { CanonicalRequest, Hints, HostedMeaning, Item, Tool } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { openToolRestorer } from "#formats/shared/restore-tools.ts";
import type { Quirks, UpstreamTranslation, WrittenRequest } from "#formats/translation.ts";
import {
  isCarried,
  refuseForced,
  refuseForeignFiles,
} from "#formats/shared/hosted/hosted-tools.ts";
import { openStopCutter } from "./cut-stops.ts";
import { lowerRoot } from "./schema-root.ts";
import { renameTools } from "./tool-names.ts";

type Fitting = {
  readonly upstream: Pick<UpstreamTranslation, "bounds" | "writeRequest">;
  readonly quirks: Quirks;
  /** Returns a keyed hash in 64 hexadecimal digits, for names that the upstream does not take whole. */
  readonly hashOf: (text: string) => string;
};

/** A written request, and what gives its answer the form that the client expects. */
type Fitted = WrittenRequest & {
  readonly restore: (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[];
};

/**
 * Writes a request within the bounds of the upstream's format: names, ids, schemas and numbers that
 * it does not take are changed, and what its answer says of them is changed back.
 */
export function writeFitted(
  given: CanonicalRequest,
  { upstream, quirks, hashOf }: Fitting,
): BodyRefusal | Fitted {
  const losses = openLosses();
  const bounds = upstream.bounds ?? {};
  const { stopsMax, endUserMax = hashedLength, takesAnyRoot = false } = bounds;
  const carriedTools = bounds.hosted?.(given, quirks) ?? [];
  const forced = bounds.forcesHosted === true ? carriedTools : [];
  const refused = refuseForeignFiles(given, bounds.files) ?? refuseForced(given, forced);
  if (refused !== undefined) return refused;
  const { request, ownNames } = renameTools(withoutHosted(given, carriedTools, losses));
  const { stopSequences } = request.limits;
  const carried = stopsMax?.(quirks.baseModel ?? request.model) ?? stopSequences.length;
  const fitted: CanonicalRequest = {
    ...request,
    items: request.items.flatMap(withoutEmpty),
    tools: takesAnyRoot ? request.tools : request.tools.map((tool) => withRoot(tool, losses)),
    limits: { ...request.limits, stopSequences: stopSequences.slice(0, carried) },
    hints: fitHints(request.hints, endUserMax, hashOf),
  };
  const written = upstream.writeRequest(fitted, quirks);
  if ("message" in written) return written;
  const rename = openRenamer(ownNames);
  const restore = openToolRestorer(given);
  const cut = openStopCutter(stopSequences.slice(carried));
  return {
    body: written.body,
    betas: written.betas ?? [],
    losses: [...new Set([...losses.names, ...written.losses])],
    restore: (events) => cut(restore(rename(events))),
  };
}

/** Leaves out the tools that only another provider runs, and names them. */
function withoutHosted(
  request: CanonicalRequest,
  carried: readonly HostedMeaning["type"][],
  losses: Losses,
): CanonicalRequest {
  if (!request.tools.some((tool) => tool.type === "hosted")) return request;
  const tools = request.tools.filter((tool) => {
    if (tool.type !== "hosted" || isCarried(tool, carried)) return true;
    losses.addGiven(tool.kind, "tools.");
    return false;
  });
  return { ...request, tools };
}

/** The length of a keyed hash, which is also the longest name that OpenAI takes. */
const hashedLength = 64;

function fitHints(hints: Hints, endUserMax: number, hashOf: Fitting["hashOf"]): Hints {
  const { endUser, cacheKey } = hints;
  if (endUser.length <= endUserMax && cacheKey.length <= hashedLength) return hints;
  return {
    ...hints,
    endUser: endUser.length > endUserMax ? hashOf(endUser) : endUser,
    cacheKey: cacheKey.length > hashedLength ? hashOf(cacheKey) : cacheKey,
  };
}

/** Leaves out turns of the model without any content, which upstreams refuse. */
function withoutEmpty(item: Item): readonly Item[] {
  if (item.type !== "message" || item.role !== "assistant") return [item];
  const parts = item.parts.filter(
    (part) => part.type !== "text" || part.text !== "" || part.opaque !== null,
  );
  if (parts.length === item.parts.length && parts.length > 0) return [item];
  return parts.length === 0 ? [] : [{ ...item, parts }];
}

function withRoot(tool: Tool, losses: Losses): Tool {
  if (tool.type !== "function" || tool.parameters === null) return tool;
  const { schema, isExact } = lowerRoot(tool.parameters);
  losses.addIf(!isExact, "tools.parameters details");
  return schema === tool.parameters ? tool : { ...tool, parameters: schema };
}

/** Gives calls the names by which the client knows its tools. */
function openRenamer(
  ownNames: ReadonlyMap<string, string>,
): (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[] {
  if (ownNames.size === 0) return (events) => events;
  const ownOf = <T extends { readonly name: string }>(named: T): T => {
    const own = ownNames.get(named.name);
    return own === undefined ? named : { ...named, name: own };
  };
  return (events) =>
    events.map((event): CanonicalEvent => {
      if (event.type === "item-start" && event.item.type === "tool-call") {
        return { ...event, item: ownOf(event.item) };
      }
      const isCall = event.type === "item-end" && event.item.type === "tool-call";
      return isCall ? { ...event, item: ownOf(event.item) } : event;
    });
}
