/** What a user does in component tests. */

import { act, fireEvent, screen } from "./dom.ts";
import { expect } from "bun:test";

export async function type(field: HTMLElement, value: string): Promise<void> {
  await act(async () => void fireEvent.change(field, { target: { value } }));
}

/** Clicks. Returns once every call that the click led to is answered and drawn. */
export async function press(button: HTMLElement): Promise<void> {
  const open = new Set<Promise<unknown>>();
  const answering = globalThis.fetch;
  globalThis.fetch = ((...call: Parameters<typeof fetch>) => {
    const answer = answering(...call);
    const settled = answer.catch(() => {}).finally(() => open.delete(settled));
    open.add(settled);
    return answer;
    // `call` uses nothing else of `fetch`.
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

/** One turn of the event loop: reads of answers and everything else that is ready runs first. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Time to load a part on a busy machine. */
export const patience = { timeout: 20_000 };

/** A failure appears twice on the screen, because it is announced to screen readers as well. */
export async function expectToast(text: string): Promise<void> {
  expect(await screen.findAllByText(text, {}, patience)).not.toBeEmpty();
}
