import { expect, test } from "bun:test";
import type { OptionName } from "@tollgate/contract/options.ts";
import { openSecrets } from "#base/secrets.ts";
import { openOptions } from "#modules/options/options.ts";
import { pageSources } from "./page-sources.ts";

/** What the page takes from elsewhere with these options in force. */
function sourcesWith(values: Partial<Record<OptionName, string>>) {
  const options = openOptions(openSecrets("0123456789abcdef0123456789abcdef"), (key, reason) => {
    throw new Error(`${key}: ${reason}`);
  });
  options.refresh(Object.entries(values).map(([key, value]) => ({ key, value })));
  return pageSources(options.read);
}

test("P-C3: scripts and frames of others are let in while a setting asks for them, and only then", () => {
  expect(sourcesWith({})).toEqual({ scripts: [], frames: [], popups: false });
  const cloudflare = "https://challenges.cloudflare.com";
  // The key is tried out before the check is switched on.
  for (const values of [{ TurnstileCheckEnabled: "true" }, { TurnstileSiteKey: "key" }]) {
    expect(sourcesWith(values)).toEqual({
      scripts: [cloudflare],
      frames: [cloudflare],
      popups: false,
    });
  }
  expect(sourcesWith({ TelegramOAuthEnabled: "true", About: "https://about.example/x" })).toEqual({
    scripts: ["https://telegram.org"],
    frames: ["https://oauth.telegram.org", "https://about.example"],
    popups: true,
  });
});

test("A-051 P-C3: a chat's https origin is let into a frame while it is configured, and only then", () => {
  const framesWith = (...addresses: string[]) =>
    sourcesWith({
      Chats: JSON.stringify(addresses.map((address, index) => ({ [`Chat ${index}`]: address }))),
      ServerAddress: "https://gate.example",
    }).frames;

  expect(framesWith()).toEqual([]);
  expect(
    framesWith(
      "https://chat.example:8443/#/?k={key}&u={address}",
      'https://lobe.example/?s={"k":1}',
    ),
  ).toEqual(["https://chat.example:8443", "https://lobe.example"]);
  // Neither our own page, nor what is no page by HTTPS, nor a host that holds the key or more.
  expect(
    framesWith(
      "https://gate.example/chat/0?k={key}",
      "https://GATE.example:443/",
      "http://plain.example/?k={key}",
      "ama://set?key={key}",
      "https://{key}.example/",
      "https://evil.example;script-src/",
      `https://${"a".repeat(100)}.example/`,
    ),
  ).toEqual([]);
});
