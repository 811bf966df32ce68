import { expect, test } from "bun:test";
import type { OptionName } from "contract/options.ts";
import { openSecrets } from "#base/secrets.ts";
import { openOptions } from "#modules/options/options.ts";
import { pageEmbeds } from "./page-embeds.ts";

/** What the page takes from elsewhere with these options in force. */
function embedsWith(values: Partial<Record<OptionName, string>>) {
  const options = openOptions(openSecrets("0123456789abcdef0123456789abcdef"), (key, reason) => {
    throw new Error(`${key}: ${reason}`);
  });
  options.refresh(Object.entries(values).map(([key, value]) => ({ key, value })));
  return pageEmbeds(options.read);
}

test("P-C3: scripts and frames of others are let in while a setting asks for them, and only then", () => {
  expect(embedsWith({})).toEqual({ scripts: [], frames: [], popups: false });
  const cloudflare = "https://challenges.cloudflare.com";
  expect(embedsWith({ TurnstileCheckEnabled: "true" })).toEqual({
    scripts: [cloudflare],
    frames: [cloudflare],
    popups: false,
  });
  expect(embedsWith({ TelegramOAuthEnabled: "true", About: "https://about.example/x" })).toEqual({
    scripts: ["https://telegram.org"],
    frames: ["https://oauth.telegram.org", "https://about.example"],
    popups: true,
  });
});
