/**
 * Turns an error into a message. The app knows the server's errors and provides the function; the
 * kit alone only knows that something failed.
 */

/** `requestId` is for the server's log; null if no server of ours answered. */
type ErrorText = { readonly title: string; readonly requestId: string | null };
type DescribeError = (error: unknown) => ErrorText;

let describe: DescribeError = (error) => ({
  title: error instanceof Error ? error.message : String(error),
  requestId: null,
});

/** Called once, by the app, before the first screen. */
export function provideDescribeError(given: DescribeError): void {
  describe = given;
}

export function describeError(error: unknown): ErrorText {
  return describe(error);
}
