/**
 * Reads what a `ForeignFrame` sends to its frame. Component tests load no page into the frame, so
 * this module answers in place of that page.
 */

/**
 * Reports to the `ForeignFrame` that the page in its frame is ready, and returns the HTML that it
 * sends.
 */
export async function sentTo(frame: HTMLElement): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const inside = { postMessage: ({ html }: { html: string }) => resolve(html) };
  Object.defineProperty(frame, "contentWindow", { configurable: true, value: inside });
  const ready = new Event("message");
  Object.assign(ready, { source: inside, data: { ready: true } });
  window.dispatchEvent(ready);
  return await promise;
}
