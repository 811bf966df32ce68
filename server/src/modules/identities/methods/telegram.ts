/**
 * Sign-in by Telegram's login widget, which gives the browser fields that Telegram has signed.
 * Source: https://core.telegram.org/widgets/login, read 2026-11-21.
 */

import { createHash, createHmac } from "node:crypto";
import { Refusal } from "#base/refusal.ts";
import { sameText } from "#base/secrets.ts";
import type { Method } from "./method.ts";

/** The fields that Telegram signs. Other fields that a page adds are ignored. */
const signedFields = ["auth_date", "first_name", "id", "last_name", "photo_url", "username"];

/**
 * How long Telegram's signature is accepted after its date, and how far Telegram's clock may be
 * ahead of this server's, in seconds.
 */
const signatureLastsSeconds = 300;
const aheadSeconds = 60;

/**
 * How long a used signature must be remembered, so that it cannot be used again, in milliseconds.
 */
export const signatureLastsMs = (signatureLastsSeconds + aheadSeconds) * 1_000;

const refused = (): Refusal => new Refusal("invalid-input", "无效的请求");

export const telegram: Method = {
  title: " Telegram ",
  column: "telegram_id",
  kind: "signed",
  namePrefix: "telegram",
  // Telegram's sign-in script inserts a frame, which opens a window. Source:
  // https://core.telegram.org/widgets/login-legacy, read 2026-11-21.
  pageSources: () => ({
    scripts: ["https://telegram.org"],
    frames: ["https://oauth.telegram.org"],
    images: [],
    popups: true,
  }),
  isOn: (readOption) => readOption("TelegramOAuthEnabled"),

  async identify({ fields }, { readOption, now }) {
    const botToken = readOption("TelegramBotToken");
    const { hash = "", id = "", auth_date = "" } = fields;
    if (botToken === "" || !/^\d{1,20}$/.test(id) || !/^\d{1,12}$/.test(auth_date)) {
      throw refused();
    }
    if (!sameText(signatureOf(fields, botToken), hash.toLowerCase())) throw refused();
    const age = now() / 1_000 - Number(auth_date);
    if (age > signatureLastsSeconds || age < -aheadSeconds) {
      throw new Refusal("invalid-input", "Telegram 授权已过期，请重试");
    }
    return {
      issuer: "telegram",
      subject: id,
      displayName: fields["first_name"] ?? "",
      username: "",
      email: "",
    };
  },
};

/**
 * Computes the signature in hex that Telegram's fields must have. Fields that Telegram did not send
 * are empty here and not signed.
 */
export function signatureOf(fields: Readonly<Record<string, string>>, botToken: string): string {
  const lines = signedFields.flatMap((name) => {
    const value = fields[name] ?? "";
    return value === "" ? [] : [`${name}=${value}`];
  });
  const key = createHash("sha256").update(botToken).digest();
  return createHmac("sha256", key).update(lines.join("\n")).digest("hex");
}
