/**
 * A provider's page in a window of its own. When that window is back here it hands over to the one
 * that opened it and closes, so that one window of the console is left.
 */

const channelName = "provider-window";

/** `state`: of the visit at the provider, which only the two windows know. */
type Word = { readonly state: string; readonly kind: "done" | "taken" };

/** How long a window that is done waits for the one that opened it, in milliseconds. */
const answerMs = 300;

/**
 * Opens the provider's page; where windows are blocked, in this one.
 *
 * @param onDone called when that window has done its work.
 * @returns stops waiting for it.
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
 * In the provider's window: gives the rest to the window that opened it.
 *
 * @returns whether that window goes on. This one may still be there, if the browser keeps it open.
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
  // Anything that another page of this origin may send.
  const sent = Object(data) as Partial<Word>;
  return state !== "" && sent.state === state && sent.kind === kind;
}
