/** Asks for the second factor again for calls that are refused without it; see `call.ts`. */

/** Resolves to whether the user proved the second factor. */
type Ask = () => Promise<boolean>;

let ask: Ask = () => Promise.resolve(false);
let asking: Promise<boolean> | null = null;
let provenCount = 0;

/** The dialog that asks the user. */
export function provideStepUp(next: Ask): void {
  ask = next;
}

/** Read before a call is sent; pass it to `proveAgain` after the call. */
export function countProofs(): number {
  return provenCount;
}

/**
 * Asks the user once, however many calls were refused meanwhile.
 *
 * @param before `countProofs` when the call was sent. If it has grown since, nobody is asked.
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

/** Counts the calls that may give the session another cookie. */
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

/** Whether a refused call was sent under a cookie that the session has replaced since. */
export async function wasRenewed(before: number): Promise<boolean> {
  await Promise.all(renewals);
  return before !== renewedCount;
}
