import type { RefusalCode } from "@tollgate/contract/words/refusals.ts";

type RefusalDetail = {
  readonly retryAfterMs?: number | undefined;
  readonly field?: string | undefined;
};

/**
 * An expected "no" to the caller: bad input, missing permission, a used code. A handler or anything
 * it calls throws it; `http/` answers it in the envelope with the status of its code. Anything else
 * that is thrown is a bug: it is answered with 500 and logged with its stack.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  /** After how many milliseconds trying again may help; undefined: unknown. */
  readonly retryAfterMs: number | undefined;
  /**
   * The input field that the refusal is about, as the endpoint names it; undefined: the whole
   * input, or none.
   */
  readonly field: string | undefined;

  constructor(code: RefusalCode, message: string, about: RefusalDetail = {}) {
    super(message);
    this.code = code;
    this.retryAfterMs = about.retryAfterMs;
    this.field = about.field;
  }
}

/**
 * Runs a change and returns the message of its refusal; empty if the change was made. For batches,
 * where a refused change does not stop the others: each change checks its rules before it writes,
 * so a refused one leaves nothing behind.
 */
export async function refusalOf(change: () => Promise<unknown>): Promise<string> {
  try {
    await change();
    return "";
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
