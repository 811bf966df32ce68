/** What a user does in component tests, and what is seen of it. */

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
    // Only what `call` asks of it.
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

/** Lets everything run that waits for nothing but its turn, such as the reading of an answer. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Loading a part takes a busy machine its time. */
export const patience = { timeout: 20_000 };

/** A failure stands on the screen twice: it is announced as well. */
export async function expectToast(text: string): Promise<void> {
  expect(await screen.findAllByText(text, {}, patience)).not.toBeEmpty();
}
