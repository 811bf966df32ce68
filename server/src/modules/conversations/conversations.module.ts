/** Conversations as a whole: their turns and sums, and links by which others see their figures. */

import { defineModule, type Given } from "#modules/module.ts";
import { conversationHandlers } from "./conversations.handlers.ts";
import type { ConversationStore } from "./conversations.store.ts";

export const conversationsModule = defineModule({
  needs: [],
  open: ({ store, secrets, random, limits, clock }: Given<ConversationStore>) => ({
    handlers: conversationHandlers({ store, secrets, random, limits, now: clock.now }),
  }),
});
