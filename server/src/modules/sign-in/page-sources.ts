/**
 * Scripts and frames of others that the sign-in screens show. Sources, read 2026-11-21:
 * https://developers.cloudflare.com/turnstile/reference/content-security-policy/ and
 * https://core.telegram.org/widgets/login-legacy, whose script puts up a frame that opens a window.
 */

import type { PageSources } from "#http/security-headers.ts";
import type { Options } from "#modules/options/options.ts";

const turnstileOrigin = "https://challenges.cloudflare.com";
const telegramScripts = "https://telegram.org";
const telegramFrames = "https://oauth.telegram.org";

export function signInPageSources(readOption: Options["read"]): PageSources {
  // With a site key root may try it out, before it is switched on.
  const hasBotCheck = readOption("TurnstileCheckEnabled") || readOption("TurnstileSiteKey") !== "";
  const hasTelegram = readOption("TelegramOAuthEnabled");
  return {
    scripts: [...(hasBotCheck ? [turnstileOrigin] : []), ...(hasTelegram ? [telegramScripts] : [])],
    frames: [...(hasBotCheck ? [turnstileOrigin] : []), ...(hasTelegram ? [telegramFrames] : [])],
    popups: hasTelegram,
  };
}
