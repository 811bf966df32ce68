import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestConsole, type TestConsole } from "./open-console.ts";
import type { OptionTexts } from "./ports.ts";

let gateway: TestConsole;
beforeAll(async () => {
  gateway = await openTestConsole("sqlite");
});
afterAll(async () => await gateway.close());

/** Returns the origins from which the page may load, with these options in force. */
function sourcesWith(values: OptionTexts) {
  gateway.setOptions(values);
  const { forms: _, ...sources } = gateway.pageSources();
  return sources;
}

test("forms may be posted to a payment gateway, and on from there, only while payment is set up", () => {
  const formsWith = (values: OptionTexts) => {
    gateway.setOptions(values);
    return gateway.pageSources().forms;
  };
  const address = { PayAddress: "https://pay.example/epay/" };
  expect(formsWith({})).toEqual([]);
  expect(formsWith(address)).toEqual([]);
  expect(formsWith({ ...address, EpayId: "1", EpayKey: "k" })).toEqual([
    "https://pay.example",
    "https:",
  ]);
});

test("P-C3: scripts and frames of other origins are allowed only while an option needs them", () => {
  expect(sourcesWith({})).toEqual({
    scripts: [],
    frames: [],
    images: [],
    popups: false,
  });
  const cloudflare = "https://challenges.cloudflare.com";
  // Either option alone allows Cloudflare's script, because root must pass the check with the new
  // key before the check can be switched on.
  for (const values of [{ TurnstileCheckEnabled: "true" }, { TurnstileSiteKey: "key" }]) {
    expect(sourcesWith(values)).toEqual({
      scripts: [cloudflare],
      frames: [cloudflare],
      images: [],
      popups: false,
    });
  }
  expect(sourcesWith({ TelegramOAuthEnabled: "true", About: "https://about.example/x" })).toEqual({
    scripts: ["https://telegram.org"],
    frames: ["https://about.example", "https://oauth.telegram.org"],
    images: [],
    popups: true,
  });
});

test("P-C3: pictures are loaded from the origins of logo and QR code, while they are shown", () => {
  const qrCode = { WeChatAccountQRCodeImageURL: "https://qr.example:8443/c.png?v=1" };
  expect(sourcesWith({ Logo: "https://img.example/l.png", ...qrCode }).images).toEqual([
    "https://img.example",
  ]);
  expect(sourcesWith({ Logo: "/l.png", WeChatAuthEnabled: "true", ...qrCode }).images).toEqual([
    "https://qr.example:8443",
  ]);
});

test("A-051 P-C3: the origin of a chat may be framed only while the chat is configured", () => {
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
  // These addresses are refused: our own page, addresses without HTTPS where the console has it, and host names that contain
  // placeholders.
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
