/**
 * Step-up: asks the user for the second factor again when the server refuses a call without a fresh
 * proof (HTTP 428). `call.ts` then repeats the call.
 */

/** Asks the user for the second factor; resolves to whether the user proved it. */
type Ask = () => Promise<boolean>;

let ask: Ask = () => Promise.resolve(false);
let asking: Promise<boolean> | null = null;
let provenCount = 0;

/** Registers the function that asks the user, by a dialog. */
export function provideStepUp(next: Ask): void {
  ask = next;
}

/**
 * Returns the number of proofs so far. A call reads it before it is sent and passes it to
 * `proveAgain`.
 */
export function countProofs(): number {
  return provenCount;
}

/**
 * Asks the user to prove the second factor; calls that are refused at the same time share one
 * dialog.
 *
 * @param before what `countProofs` returned before the call was sent. If a proof was given since,
 * the user is not asked again.
 */
export async function proveAgain(before: number): Promise<boolean> {
  if (before !== provenCount) return true;
  asking ??= ask().finally(() => {
    asking = null;
  });
  const isProven = await asking;
  if (isProven && before === provenCount) provenCount += 1;
  return isProven;
}

const renewals = new Set<Promise<unknown>>();
let renewedCount = 0;

/**
 * Registers a call that may replace the session cookie, so that `wasRenewed` waits for it, and
 * counts it if it succeeds.
 */
export function noteRenewal(sending: Promise<Response>): void {
  const done = sending.then(
    ({ ok }) => {
      if (ok) renewedCount += 1;
    },
    () => undefined,
  );
  renewals.add(done);
  void done.then(() => renewals.delete(done));
}

export function countRenewals(): number {
  return renewedCount;
}

/**
 * Whether the session cookie was replaced after a refused call was sent. Waits for renewals that
 * are still under way.
 *
 * @param before what `countRenewals` returned before the call was sent.
 */
export async function wasRenewed(before: number): Promise<boolean> {
  await Promise.all(renewals);
  return before !== renewedCount;
}
