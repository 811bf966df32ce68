/**
 * Turns an error into a message for the user. The app provides the function, because it knows the
 * server's errors; without it, the kit only says that something failed.
 */

/**
 * `requestId` finds the request in the server's log; null if the error does not come from the
 * server.
 */
type ErrorText = { readonly title: string; readonly requestId: string | null };
type DescribeError = (error: unknown) => ErrorText;

let describe: DescribeError = (error) => ({
  title: error instanceof Error ? error.message : String(error),
  requestId: null,
});

/** Sets the function that describes errors. The app calls it once, before the first screen. */
export function provideDescribeError(given: DescribeError): void {
  describe = given;
}

export function describeError(error: unknown): ErrorText {
  return describe(error);
}
