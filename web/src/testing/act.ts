/** What a user does in component tests, such as pressing a button and reading a toast. */

import { act, fireEvent, screen } from "./dom.ts";
import { expect } from "bun:test";

export async function type(field: HTMLElement, value: string): Promise<void> {
  await act(async () => void fireEvent.change(field, { target: { value } }));
}

/**
 * Clicks a button. Returns when every request that the click caused is answered and the result is
 * drawn.
 */
export async function press(button: HTMLElement): Promise<void> {
  const open = new Set<Promise<unknown>>();
  const answering = globalThis.fetch;
  globalThis.fetch = ((...call: Parameters<typeof fetch>) => {
    const answer = answering(...call);
    const settled = answer.catch(() => {}).finally(() => open.delete(settled));
    open.add(settled);
    return answer;
    // Safe cast: `call` uses only the function itself, not other members of `fetch`.
  }) as typeof fetch;
  try {
    await act(async () => {
      fireEvent.click(button);
      await nextTurn();
      while (open.size > 0) {
        await Promise.all(open);
        await nextTurn();
      }
    });
  } finally {
    globalThis.fetch = answering;
  }
}

/**
 * Waits one turn of the event loop, in which everything that is ready runs, such as reading an
 * answer.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * The time limit for waiting until a lazily loaded part appears, long enough for a busy machine.
 */
export const patience = { timeout: 20_000 };

/**
 * Expects a toast with this text. A failure is on the page twice, because it is also announced to
 * screen readers.
 */
export async function expectToast(text: string): Promise<void> {
  expect(await screen.findAllByText(text, {}, patience)).not.toBeEmpty();
}
