/** What the console's page takes from elsewhere while root's settings ask for it, and only then. */

import type { PageEmbeds } from "#http/security-headers.ts";
import { framedOrigins } from "#modules/content/content.handlers.ts";
import { chatOrigins } from "#modules/installation/chat-origins.ts";
import type { Options } from "#modules/options/options.ts";
import { signInEmbeds } from "#modules/sign-in/embeds.ts";

export function pageEmbeds(readOption: Options["read"]): PageEmbeds {
  const { scripts, frames, popups } = signInEmbeds(readOption);
  return {
    scripts,
    frames: [...frames, ...framedOrigins(readOption), ...chatOrigins(readOption)],
    popups,
  };
}
