/** The circuits of a channel: its own, and those of its models and keys that have failed. */

import { type Circuit, openCircuit } from "./circuit.ts";
import type { FaultScope } from "#relay/faults/fault-scope.ts";

/** A key by what stands for it (`places/order.ts`), and the model that a client names. */
export type Part = { readonly keyMark: number; readonly model: string };

export type Circuits = {
  readonly circuit: Circuit;
  /** The circuits of what has failed: models, keys as such, and keys for a model. */
  models: Map<string, Circuit> | null;
  keys: Map<number | string, Circuit> | null;
};

/** How many models and keys of a channel have circuits of their own; only failing ones need them. */
const partsMax = 1_000;

export function hasParts({ keys, models }: Circuits): boolean {
  return keys !== null || models !== null;
}

/** The name of a key for one model; the key as such has its mark. */
function nameOf(keyMark: number, model: string): string {
  return `${keyMark} ${model}`;
}

/** Returns the circuits that a call goes through, as far as there are any. */
export function circuitsOf(channel: Circuits, keyMark: number, model: string): readonly Circuit[] {
  return partsOf(channel, keyMark, model).map(([, circuit]) => circuit);
}

/** The same, each with its scope. */
export function partsOf(
  channel: Circuits,
  keyMark: number,
  model: string,
): (readonly [FaultScope, Circuit])[] {
  const found: (readonly [FaultScope, Circuit])[] = [];
  for (const scope of scopes) {
    const circuit = knownPart(channel, scope, { keyMark, model });
    if (circuit !== undefined) found.push([scope, circuit]);
  }
  return found;
}

const scopes: readonly FaultScope[] = ["channel", "model", "key-revoked", "key"];

/** Finds a circuit; undefined: nothing of the kind has failed. */
export function knownPart(
  { circuit, keys, models }: Circuits,
  scope: FaultScope,
  { keyMark, model }: Part,
): Circuit | undefined {
  switch (scope) {
    case "channel":
      return circuit;
    case "model":
      return models?.get(model);
    case "key":
      return keys?.get(nameOf(keyMark, model));
    case "key-revoked":
      return keys?.get(keyMark);
  }
}

/** Finds a circuit, or opens it. */
export function partOf(channel: Circuits, scope: FaultScope, { keyMark, model }: Part): Circuit {
  const { circuit } = channel;
  switch (scope) {
    case "channel":
      return circuit;
    case "model":
      return partIn((channel.models ??= new Map()), model, circuit);
    case "key":
      return partIn((channel.keys ??= new Map()), nameOf(keyMark, model), circuit);
    case "key-revoked":
      return partIn((channel.keys ??= new Map()), keyMark, circuit);
  }
}

/** Finds a part's circuit, or opens one that knows the calls of the channel until now. */
function partIn<Key>(
  parts: Map<Key, Circuit>,
  key: Key,
  { recent, recentCount }: Circuit,
): Circuit {
  const known = parts.get(key);
  if (known !== undefined) return known;
  // Names of models come from channels, but there may be many.
  if (parts.size >= partsMax) parts.clear();
  const fresh = { ...openCircuit(), recent, recentCount };
  parts.set(key, fresh);
  return fresh;
}

/** Returns the circuits of a key as such, and for a model. */
export function keyCircuits({ keys }: Circuits, { keyMark, model }: Part) {
  return { whole: keys?.get(keyMark), ofModel: keys?.get(nameOf(keyMark, model)) };
}
