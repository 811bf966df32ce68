/** Mail addresses, and the letter root sends to see whether mail works. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** Longest address mail is delivered to, in characters. Source: RFC 5321 §4.5.3.1.3. */
const mailAddressMax = 254;

const addressRule = "无效的邮箱地址";
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

/** One address without a name, in small letters: two spellings of it are one mailbox here. */
export const mailAddress = z
  .string(addressRule)
  .trim()
  .toLowerCase()
  .max(mailAddressMax, addressRule)
  .regex(new RegExp(`^[a-z0-9!#$%&'*+/=?^_\`{|}~.-]{1,64}@(?:${label}\\.)+${label}$`), addressRule);

/** Words of the letter; what begins with `en` is English, anything else Chinese. */
export const mailLanguage = z.string().max(35).default("");

/** Sends a letter by the SMTP options in force; a refusal says what the mail server said. */
export const sendTestMail = endpoint({
  method: "POST",
  path: "/api/mail/test",
  access: "root",
  input: z.object({ email: mailAddress, lang: mailLanguage }),
  output: z.void(),
});
