import type { RefusalCode } from "contract/refusals.ts";

/**
 * An expected "no" to the caller: bad input, missing permission, used code. Thrown anywhere
 * below a route, answered by `http/` in the envelope, with the status of its code. Anything else
 * that is thrown is a bug: answered with 500 and logged with its stack.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  /** When trying again may help, in milliseconds from now; undefined: nothing is promised. */
  readonly retryAfterMs: number | undefined;

  constructor(code: RefusalCode, message: string, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
