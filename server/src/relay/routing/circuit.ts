/**
 * The circuit of one thing that may fail: a channel, one of its keys or one of its models. It judges
 * by the recent calls whether the thing may be tried.
 */

/** Why something may not be tried. `until` is monotonic milliseconds. */
export type Block =
  /** It requested a pause, which is not over. */
  | { readonly kind: "cooldown"; readonly until: number }
  /** It kept failing and is not tried for a while. */
  | { readonly kind: "ejected"; readonly until: number }
  /** A key has reached a limit of its own. Infinity: until a call that runs has ended. */
  | { readonly kind: "limit"; readonly until: number }
  /** The ejection is over, and one call is probing whether it works. */
  | { readonly kind: "probing"; readonly until: number };

/** The longest cooldown, even if a channel requests a longer pause. */
export const cooldownMsMax = 60_000;
/** How many failures in a row eject it. */
const failuresInRowMax = 5;
/** How many failures among its last `recentCalls` calls eject it, even if they are not in a row. */
const recentFailuresMax = 10;
const recentCalls = 20;
/** Length of the first ejection; the n-th in a row lasts n times as long. */
export const ejectionMs = 30_000;
export const ejectionMsMax = 300_000;

const recentMask = (1 << recentCalls) - 1;

export type Circuit = {
  failuresInRow: number;
  /** Outcomes of the last calls as bits, the newest lowest; 1: failed. */
  recent: number;
  recentCount: number;
  cooldownUntil: number;
  /**
   * When the ejection ends; 0: it is not ejected. After that time has passed, the value stays until a
   * probe succeeds.
   */
  ejectedUntil: number;
  /** Number of ejections in a row. */
  ejections: number;
  probing: boolean;
  /** Until when another node is believed to probe it; 0: none does. */
  probedUntil: number;
  /** When the last ejection ends or ended. */
  lastEjectedUntil: number;
};

export function openCircuit(): Circuit {
  return {
    failuresInRow: 0,
    recent: 0,
    recentCount: 0,
    cooldownUntil: 0,
    ejectedUntil: 0,
    ejections: 0,
    probing: false,
    probedUntil: 0,
    lastEjectedUntil: -Infinity,
  };
}

/** Says why it may not be tried; null: it may be. */
export function blockIn(circuit: Circuit, now: number): Block | null {
  const { cooldownUntil, ejectedUntil, probedUntil } = circuit;
  if (ejectedUntil > now) return { kind: "ejected", until: ejectedUntil };
  if (cooldownUntil > now) return { kind: "cooldown", until: cooldownUntil };
  const isProbed = circuit.probing || probedUntil > now;
  return ejectedUntil !== 0 && isProbed ? { kind: "probing", until: now } : null;
}

/** Whether nothing blocks it any more, so that it need not be looked at. */
export function isClosed({ cooldownUntil, ejectedUntil }: Circuit, now: number): boolean {
  return ejectedUntil === 0 && cooldownUntil <= now;
}

/** Whether its ejection is over, and no call has shown that it works again. */
export function isHalfOpen({ ejectedUntil }: Circuit, now: number): boolean {
  return ejectedUntil !== 0 && ejectedUntil <= now;
}

/** Notes that a call begins: after an ejection it is the probe. @returns whether it is. */
export function probe(circuit: Circuit, now: number): boolean {
  if (!isHalfOpen(circuit, now)) return false;
  circuit.probing = true;
  return true;
}

/**
 * Notes a failure.
 *
 * @param retryAfterMs the pause that was requested; null: none.
 * @param isSure whether it is known to fail again, so that it is ejected at once.
 */
export function fail(
  circuit: Circuit,
  now: number,
  retryAfterMs: number | null,
  isSure = false,
): void {
  note(circuit, 1);
  circuit.failuresInRow += 1;
  if (retryAfterMs !== null && retryAfterMs > 0) {
    circuit.cooldownUntil = now + Math.min(retryAfterMs, cooldownMsMax);
  }
  const probeFailed = isHalfOpen(circuit, now);
  const failing =
    isSure ||
    circuit.failuresInRow >= failuresInRowMax ||
    (circuit.recentCount >= recentCalls && bitCount(circuit.recent) >= recentFailuresMax);
  if (probeFailed || (failing && circuit.ejectedUntil === 0)) eject(circuit, now);
}

export function succeed(circuit: Circuit, now: number): void {
  note(circuit, 0);
  circuit.failuresInRow = 0;
  // Only the success of a call sent after the ejection's end shows that it works again.
  if (circuit.ejectedUntil === 0 || circuit.ejectedUntil > now) return;
  circuit.ejectedUntil = 0;
  forgetCalls(circuit);
}

/** What another node has found out. Lengths in milliseconds; 0: nothing of the kind. */
type HeardFailure = {
  readonly cooldownMs: number;
  readonly ejectedMs: number;
  /** Number of ejections in a row. */
  readonly ejections: number;
};

/** How long a probe of another node holds others back, in milliseconds, if nothing is heard of it. */
const heardProbeMs = 10_000;

/**
 * Notes a failure at another node. It counts in the row of failures, as a success at any node is
 * heard, too; among the last calls it does not, as most successes of other nodes are not heard.
 *
 * @param laterMs how much later than the other node this one begins to probe.
 */
export function hearFailure(
  circuit: Circuit,
  now: number,
  { cooldownMs, ejectedMs, ejections }: HeardFailure,
  laterMs: number,
): void {
  circuit.failuresInRow += 1;
  if (cooldownMs > 0) {
    const until = now + Math.min(cooldownMs, cooldownMsMax);
    circuit.cooldownUntil = Math.max(circuit.cooldownUntil, until);
  }
  const until = now + Math.min(ejectedMs, ejectionMsMax) + laterMs;
  if (ejectedMs <= 0 || until <= circuit.ejectedUntil) return;
  circuit.ejections = ejections;
  circuit.ejectedUntil = until;
  circuit.lastEjectedUntil = until;
  circuit.probedUntil = 0;
  forgetCalls(circuit);
}

/** @param isRecovered whether it was the success of a probe. */
export function hearSuccess(circuit: Circuit, isRecovered: boolean): void {
  circuit.failuresInRow = 0;
  circuit.probedUntil = 0;
  if (!isRecovered || circuit.ejectedUntil === 0) return;
  circuit.ejectedUntil = 0;
  forgetCalls(circuit);
}

export function hearProbe(circuit: Circuit, now: number): void {
  circuit.probedUntil = now + heardProbeMs;
}

function note(circuit: Circuit, bit: 0 | 1): void {
  circuit.recent = ((circuit.recent << 1) | bit) & recentMask;
  if (circuit.recentCount < recentCalls) circuit.recentCount += 1;
}

/** An ejection soon after the previous one lasts longer. */
export function eject(circuit: Circuit, now: number): void {
  const soon = now - circuit.lastEjectedUntil < ejectionMsMax;
  circuit.ejections = soon ? circuit.ejections + 1 : 1;
  circuit.ejectedUntil = now + Math.min(ejectionMs * circuit.ejections, ejectionMsMax);
  circuit.lastEjectedUntil = circuit.ejectedUntil;
  forgetCalls(circuit);
}

function forgetCalls(circuit: Circuit): void {
  circuit.failuresInRow = 0;
  circuit.recent = 0;
  circuit.recentCount = 0;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
