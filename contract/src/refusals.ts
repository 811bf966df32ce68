/**
 * Every reason the console API refuses a call. A new reason is one line in `refusalStatus`. The
 * code is for our own programs and logs; a caller gets the status and a message in the envelope.
 */

/**
 * HTTP status per refusal code. An ordinary no is 200 with `success: false`, because a console
 * shows the message of that but only a fixed text for an HTTP error; the others are the ones a
 * console acts upon, or that no console causes. Sorted by status, then name.
 */
export const refusalStatus = {
  "already-exists": 200,
  "invalid-input": 200,
  "limit-reached": 200,
  "not-allowed": 200,
  "not-found": 200,
  /** A server this one asked, such as a sign-in provider or a mail server, failed or said no. */
  "outside-failed": 200,
  /** Somebody else chose the password, so its user has to choose another one first. */
  "password-expired": 200,
  "quota-too-low": 200,
  /** The row changed since the caller read it. */
  stale: 200,
  "already-set-up": 400,
  malformed: 400,
  "setup-refused": 400,
  "not-signed-in": 401,
  "foreign-origin": 403,
  /** What a browser brings back from a sign-in provider is not what it was sent there with. */
  "state-mismatch": 403,
  "body-too-large": 413,
  "media-type": 415,
  /** The caller has to prove the second factor first. */
  "step-up-needed": 428,
  "rate-limited": 429,
  busy: 503,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof refusalStatus;
