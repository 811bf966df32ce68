/**
 * The messages to a `ForeignFrame`. Component tests load no page into the frame, so they answer in
 * its place.
 */

/** The HTML that is sent to the frame once its page is ready. */
export async function sentTo(frame: HTMLElement): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const inside = { postMessage: ({ html }: { html: string }) => resolve(html) };
  Object.defineProperty(frame, "contentWindow", { configurable: true, value: inside });
  const ready = new Event("message");
  Object.assign(ready, { source: inside, data: { ready: true } });
  window.dispatchEvent(ready);
  return await promise;
}
