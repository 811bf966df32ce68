/**
 * Every reason for which the console API refuses a call. A new reason is one line in
 * `refusalStatus`. The code is for our own programs and logs; callers get the status and the
 * envelope's message.
 */

/**
 * HTTP status of each refusal code. An ordinary refusal is 200 with `success: false`, because
 * consoles show its message, but only a fixed text for an HTTP error. Other statuses are those to
 * which consoles react, or of calls that no console makes. Sorted by status, then name.
 */
export const refusalStatus = {
  "already-exists": 200,
  "invalid-input": 200,
  "limit-reached": 200,
  "not-allowed": 200,
  "not-found": 200,
  /** The caller looks around in a demo, and nothing may be changed that way. */
  "only-reads": 200,
  /**
   * A server that this server asked, such as a sign-in provider or a mail server, failed or
   * refused.
   */
  "outside-failed": 200,
  /** The user must first choose another password, because somebody else set the present one. */
  "password-expired": 200,
  "quota-too-low": 200,
  /** The row has changed since the caller read it. */
  stale: 200,
  "already-set-up": 400,
  malformed: 400,
  "setup-refused": 400,
  /** The API key of a call is unknown or not usable. */
  "key-refused": 401,
  "not-signed-in": 401,
  "foreign-origin": 403,
  /** The API key is valid, but its owner is disabled, or it is not allowed at the client's address. */
  /**
   * The `state` that the browser brought back from a sign-in provider is not the one that it was
   * given.
   */
  "state-mismatch": 403,
  "body-too-large": 413,
  "media-type": 415,
  /** The caller must prove the second factor first. */
  "step-up-needed": 428,
  "rate-limited": 429,
  busy: 503,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof refusalStatus;
