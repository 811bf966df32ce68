/** Starts the console in the page. */

import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import "#ui/console.css";
import "#ui/claim.css";
import { provideRefusalTexts } from "#api/call.ts";
import { followOtherTabs } from "#api/session.ts";
import { loadStatus } from "#api/status.ts";
import { provideOwnedQuestion } from "#api/owned.ts";
import { provideStepUp } from "#api/step-up.ts";
import { askOwned } from "#app/ask-owned.tsx";
import { askStepUp } from "./app/step-up/ask-step-up.tsx";
import { Providers } from "#app/Providers.tsx";
import { followLanguage } from "#app/follow-language.ts";
import { followPreferences } from "#app/preferences.ts";
import { router } from "#app/router.ts";
import { followSession } from "#app/follow-session.ts";
import { followTheme } from "#app/theme.ts";
import { loadServerMessages, preferredLanguage, setLanguage, t } from "#i18n/t.ts";
import { provideDescribeError } from "#ui/feedback/describe-error.ts";
import { describeFailure } from "./widgets/server/server-message.ts";

provideRefusalTexts(loadServerMessages);
provideStepUp(askStepUp);
provideOwnedQuestion(askOwned);
provideDescribeError((error) => describeFailure(error, t));
followTheme();
followOtherTabs();
followPreferences();
followLanguage();
followSession(router);
void loadStatus();
void start();

/**
 * Starts the console. This is a function instead of a top-level `await`, because the file of texts
 * may import this module, and both would wait for each other forever.
 */
async function start(): Promise<void> {
  await setLanguage(preferredLanguage());
  const place = document.querySelector("#root");
  if (place === null) throw new Error("index.html has no #root");
  createRoot(place).render(
    <Providers>
      <RouterProvider router={router} />
    </Providers>,
  );
}
