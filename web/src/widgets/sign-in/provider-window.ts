/**
 * A provider's page in a window of its own. When the provider returns to that window, it passes the
 * result to the window that opened it and closes, so that only one window of the console is left.
 */

const channelName = "provider-window";

/** `state`: the state of the visit to the provider, which only these two windows know. */
type Word = { readonly state: string; readonly kind: "done" | "taken" };

/** How long a finished window waits for the window that opened it, in milliseconds. */
const answerMs = 300;

/**
 * Opens the provider's page, in this window if the browser blocks windows.
 * @param onDone called when the other window has finished.
 * @returns a function that stops waiting for it.
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
 * Called in the provider's window: passes the result to the window that opened it.
 * @returns whether that window takes it. This window may stay open, if the browser does not let it
 * close.
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
  // Other pages of this origin may send anything on the channel.
  const sent = Object(data) as Partial<Word>;
  return state !== "" && sent.state === state && sent.kind === kind;
}
