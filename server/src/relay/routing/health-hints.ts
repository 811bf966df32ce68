/**
 * What a node tells the others of the health of channels: what fails, and that it works again. So a
 * broken channel costs as many calls in all as it would cost one node. These are hints: one that is
 * lost is learnt by a call.
 */

import type { FaultScope } from "#relay/faults/fault-scope.ts";
import type { ToldLimits } from "#network/told-limits.ts";

/** A circuit: of a channel, or of one of its models or keys (`places/order.ts`). */
type Part = {
  readonly channel: number;
  readonly part: FaultScope;
  readonly keyMark: number;
  readonly model: string;
};

export type HealthHint = Part &
  (
    | {
        readonly what: "failed";
        /** Lengths in milliseconds from now; 0: there is none. */
        readonly cooldownMs: number;
        readonly ejectedMs: number;
        readonly ejections: number;
      }
    | { readonly what: "answered"; readonly isRecovered: boolean }
    | { readonly what: "probing" }
    /** An upstream says that a key may be asked nothing more for a while. */
    | { readonly what: "told"; readonly told: ToldLimits }
  );

const scopes: ReadonlySet<unknown> = new Set<FaultScope>([
  "channel",
  "key",
  "key-revoked",
  "model",
]);
const numbers = ["channel", "keyMark"];
const lengths = ["cooldownMs", "ejectedMs", "ejections"];
const toldNames = ["requestsLeft", "requestsReset", "tokensLeft", "tokensReset"];

/** Reads what another node has told, perhaps one of another version. Null: it is not understood. */
export function readHint(value: unknown): HealthHint | null {
  if (typeof value !== "object" || value === null) return null;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const has = (names: readonly string[], type: string): boolean =>
    names.every((name) => typeof fields[name] === type);
  // Safe cast: what it says is checked below.
  const hint = value as HealthHint;
  if (!has(numbers, "number") || !has(["model"], "string") || !scopes.has(hint.part)) return null;
  switch (hint.what) {
    case "failed":
      return has(lengths, "number") ? hint : null;
    case "answered":
      return has(["isRecovered"], "boolean") ? hint : null;
    case "probing":
      return hint;
    case "told":
      return isTold(fields["told"]) ? hint : null;
    default:
      return null;
  }
}

function isTold(told: unknown): boolean {
  if (typeof told !== "object" || told === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...told };
  return toldNames.every((name) => fields[name] === null || typeof fields[name] === "string");
}

/** Whether an upstream says that nothing is left of a limit. */
export function isUsedUp({ requestsLeft, tokensLeft }: ToldLimits): boolean {
  return requestsLeft === "0" || tokensLeft === "0";
}
