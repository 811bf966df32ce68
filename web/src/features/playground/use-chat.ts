import { useSyncExternalStore } from "react";
import { sessionStore } from "#api/session.ts";
import { streamChat } from "#api/stream.ts";
import { type Chat, type ChatState, newConversation, openChat } from "./chat.ts";
import { keepConversation, readHistory } from "./history.ts";
import { readCharge } from "./playground.api.ts";

let opened: { readonly userId: number; readonly chat: Chat } | null = null;

/**
 * Returns the user's chat: the open one, or a new one with the conversation that was changed last.
 */
export function chatOf(userId: number): Chat {
  if (opened?.userId === userId) return opened.chat;
  opened?.chat.stop();
  const [last] = readHistory(localStorage, userId);
  const chat = openChat(
    {
      stream: streamChat,
      readCharge,
      keep: (conversation) => keepConversation(localStorage, userId, conversation),
      newId: () => crypto.randomUUID(),
      now: Date.now,
      nowMs: () => performance.now(),
      nextFrame: (callback) => requestAnimationFrame(callback),
    },
    last ?? newConversation(crypto.randomUUID(), Date.now()),
  );
  opened = { userId, chat };
  return chat;
}

// Signing out stops the answer that is being written: nobody would read it, and it costs quota.
sessionStore.subscribe(() => {
  const userId = sessionStore.read()?.id;
  if (opened !== null && opened.userId !== userId) {
    opened.chat.stop();
    opened = null;
  }
});

export function useChatState({ state }: Chat): ChatState {
  return useSyncExternalStore(state.subscribe, state.read);
}
