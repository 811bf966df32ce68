/**
 * Opens the page of an OAuth provider in a window of its own. When the provider sends that window
 * back to the console, the window passes the result to the one that opened it and closes itself, so
 * that only one window of the console is left.
 */

import { storageKey } from "#page/base-path.ts";

const channelName = storageKey("provider-window");

/**
 * A message between the two windows. `state` is the OAuth state of this visit to the provider,
 * which only these two windows know.
 */
type Word = { readonly state: string; readonly kind: "done" | "taken" };

/**
 * How long the provider's window waits for a reply of the window that opened it, in milliseconds.
 */
const answerMs = 300;

/**
 * Opens the provider's page in a new window, or in this one if the browser blocks new windows.
 *
 * @param onDone called when the new window has passed back its result.
 * @returns a function that stops waiting for the new window.
 */
export function openProvider(
  { address, state }: { readonly address: string; readonly state: string },
  onDone: () => void,
): () => void {
  const opened = window.open(address, "_blank");
  if (opened === null) {
    window.location.assign(address);
    return () => {};
  }
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", ({ data }) => {
    if (!isWord(data, { state, kind: "done" })) return;
    say(channel, { state, kind: "taken" });
    channel.close();
    opened.close();
    onDone();
  });
  return () => channel.close();
}

/**
 * Runs in the provider's window: passes the result to the window that opened it.
 *
 * @returns whether that window took the result. This window then closes, if the browser lets it.
 */
export async function handBack(state: string): Promise<boolean> {
  const channel = new BroadcastChannel(channelName);
  const isTaken = await new Promise<boolean>((resolve) => {
    const late = setTimeout(() => resolve(false), answerMs);
    channel.addEventListener("message", ({ data }) => {
      if (!isWord(data, { state, kind: "taken" })) return;
      clearTimeout(late);
      resolve(true);
    });
    say(channel, { state, kind: "done" });
  });
  channel.close();
  if (isTaken) window.close();
  return isTaken;
}

function say(channel: BroadcastChannel, word: Word): void {
  channel.postMessage(word);
}

function isWord(data: unknown, { state, kind }: Word): boolean {
  // The channel is open to every page of this origin, so a message may be anything.
  const sent = Object(data) as Partial<Word>;
  return state !== "" && sent.state === state && sent.kind === kind;
}
