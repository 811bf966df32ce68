/** What the console's page takes from elsewhere while root's settings ask for it, and only then. */

import type { PageSources } from "#http/security-headers.ts";
import { framedOrigins } from "#modules/content/content.handlers.ts";
import { chatOrigins } from "#modules/installation/chat-origins.ts";
import type { Options } from "#modules/options/options.ts";
import { signInPageSources } from "#modules/sign-in/page-sources.ts";

export function pageSources(readOption: Options["read"]): PageSources {
  const { scripts, frames, popups } = signInPageSources(readOption);
  return {
    scripts,
    frames: [...frames, ...framedOrigins(readOption), ...chatOrigins(readOption)],
    popups,
  };
}
