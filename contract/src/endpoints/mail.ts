/** E-mail addresses, and the test e-mail that shows root whether e-mail works. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The longest address mail is delivered to, in characters. Source: RFC 5321 §4.5.3.1.3. */
const mailAddressMax = 254;

const addressRule = "无效的邮箱地址";
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

/**
 * One e-mail address without a name, in lower case: upper and lower case spellings count as the
 * same mailbox.
 */
export const mailAddress = z
  .string(addressRule)
  .trim()
  .toLowerCase()
  .max(mailAddressMax, addressRule)
  .regex(new RegExp(`^[a-z0-9!#$%&'*+/=?^_\`{|}~.-]{1,64}@(?:${label}\\.)+${label}$`), addressRule);

/** Language of the e-mail: if it begins with `en` English, otherwise Chinese. */
export const mailLanguage = z.string().max(35).default("");

/** Sends an e-mail by the current SMTP options; a refusal says what the mail server said. */
export const sendTestMail = endpoint({
  method: "POST",
  path: "/api/mail/test",
  access: "root",
  input: z.object({ email: mailAddress, lang: mailLanguage }),
  output: z.void(),
});
