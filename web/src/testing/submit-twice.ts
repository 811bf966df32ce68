/** Checks that a form sends its request only once although its button is pressed twice. */

import { act, fireEvent } from "./dom.ts";
import { expect } from "bun:test";

/**
 * Presses `button` a second time before the request `call`, such as `PUT /api/user/self`, is
 * answered. Expects one request, and no message about the second press.
 */
export async function submitTwice(button: HTMLElement, call: string): Promise<void> {
  const answering = globalThis.fetch;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let count = 0;
  globalThis.fetch = (async (address: string, request: RequestInit) => {
    const { pathname } = new URL(address, "http://localhost");
    if (`${request.method ?? "GET"} ${pathname}` === call) {
      count += 1;
      await finished;
    }
    return await answering(address, request);
    // Safe cast: the code under test calls `fetch` only with an address and options.
  }) as unknown as typeof fetch;
  try {
    await act(async () => void fireEvent.click(button));
    await act(async () => void fireEvent.click(button));
    expect(count).toBe(1);
    // The first press is still being handled, so the second must not show any message.
    expect(document.querySelectorAll("[data-toast]")).toBeEmpty();
  } finally {
    globalThis.fetch = answering;
    await act(async () => finish());
  }
}
