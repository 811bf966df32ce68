/** The screens to which links in mails lead. */

import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

export const userLinkScreens: readonly Screen[] = [
  {
    path: "/user/email/undo",
    title: "signIn.undoMail",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/UndoMailScreen.tsx")).then(
        (m) => m.UndoMailScreen,
      ),
  },
  {
    path: "/user/reset",
    title: "signIn.reset",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/ResetConfirmScreen.tsx")).then(
        (m) => m.ResetConfirmScreen,
      ),
  },
];
