/**
 * The message that refuses a `state` that is used, expired, or of another browser. The text is
 * one-api's, because its consoles check for it.
 */
export const stateMismatchMessage = "state is empty or not same";
