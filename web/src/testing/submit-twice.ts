/** Checks that a form sends once although its button is pressed twice. */

import { act, fireEvent, screen, waitFor } from "./dom.ts";
import { expect } from "bun:test";

/**
 * Presses `button` twice before `call`, such as `PUT /api/user/self`, is answered. The call must be
 * sent once, and the second press must be answered with a message, until the first has ended.
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
    expect(screen.queryByText(text)).toBeNull();
    await act(async () => void fireEvent.click(button));
    expect(await screen.findAllByText(text)).not.toBeEmpty();
    expect(count).toBe(1);
  } finally {
    globalThis.fetch = answering;
    await act(async () => finish());
  }
  // Once the first call has ended, the message about the second press must be gone, because it may
  // be wrong now.
  await waitFor(() => expect(screen.queryByText(text)).toBeNull());
}

const text = "提交失败，请勿重复提交！";
