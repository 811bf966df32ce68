/** Checks that a form sends once although its button is pressed twice. */

import { act, fireEvent } from "./dom.ts";
import { expect } from "bun:test";

/**
 * Presses `button` twice before `call`, such as `PUT /api/user/self`, is answered. The call must be
 * sent once, and the second press must be silent.
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
    // Called with an address and options, as `call` does.
  }) as unknown as typeof fetch;
  try {
    await act(async () => void fireEvent.click(button));
    await act(async () => void fireEvent.click(button));
    expect(count).toBe(1);
    // The first press is still at work, so the second is no reason to say anything.
    expect(document.querySelectorAll("[data-toast]")).toBeEmpty();
  } finally {
    globalThis.fetch = answering;
    await act(async () => finish());
  }
}
