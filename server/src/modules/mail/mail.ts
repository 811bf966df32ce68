/** The interface for sending e-mails to people; `smtp.ts` implements it. */

import en from "./en.json" with { type: "json" };
import zh from "./zh.json" with { type: "json" };

export type OutgoingMail = {
  /** A single e-mail address, without a name. */
  readonly to: string;
  readonly subject: string;
  /** The content as plain text, so nothing in it needs escaping. */
  readonly text: string;
};

export type Mail = {
  /** Whether a mail server is configured. */
  isSetUp(): boolean;
  /**
   * Resolves when the mail server has accepted the e-mail.
   * @throws Refusal `outside-failed`, whose message gives the reason without secrets; `busy` when
   * too many e-mails are being sent.
   */
  send(mail: OutgoingMail): Promise<void>;
};

const mails = { en, zh } as const satisfies Record<string, Texts>;

type Texts = Readonly<Record<keyof typeof zh, { readonly subject: string; readonly text: string }>>;

type MailName = keyof Texts;

/**
 * Writes an e-mail from a template, in which it replaces each `{{name}}`.
 * @param language as browsers name it; one that begins with `en` is English, all others Chinese.
 */
export function writeMail(
  name: MailName,
  language: string,
  values: Readonly<Record<string, string>>,
): Omit<OutgoingMail, "to"> {
  const { subject, text } = mails[/^en\b/i.test(language) ? "en" : "zh"][name];
  const fill = (template: string): string =>
    template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? "");
  return { subject: fill(subject), text: fill(text) };
}
