/** The screens of conversations. */

import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

export const conversationScreen: Screen = {
  path: "/conversation",
  title: "app.screenConversation",
  access: "user",
  menu: null,
  outline: "list",
  load: () =>
    withTexts(
      "logs",
      withTexts("conversations", import("#features/conversations/ConversationScreen.tsx")),
    ).then((m) => m.ConversationScreen),
};

export const sharedScreen: Screen = {
  path: "/shared",
  title: "app.screenConversation",
  access: "public",
  menu: null,
  frame: "bare",
  load: () =>
    withTexts(
      "logs",
      withTexts("conversations", import("#features/conversations/SharedScreen.tsx")),
    ).then((m) => m.SharedScreen),
};
