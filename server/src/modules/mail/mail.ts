/** Letters to people, and what sends them; `smtp.ts` is the one way there is. */

import en from "./en.json" with { type: "json" };
import zh from "./zh.json" with { type: "json" };

export type OutgoingMail = {
  /** One address without a name. */
  readonly to: string;
  readonly subject: string;
  /** Plain text: nothing in it needs to be made harmless. */
  readonly text: string;
};

export type Mail = {
  /** Whether there is a mail server to send by. */
  isSetUp(): boolean;
  /**
   * Resolves when the mail server took the letter.
   *
   * @throws Refusal `outside-failed`, whose message says why and holds no secret; `busy`.
   */
  send(letter: OutgoingMail): Promise<void>;
};

const letters = { en, zh } as const satisfies Record<string, Texts>;

type Texts = Readonly<Record<keyof typeof zh, { readonly subject: string; readonly text: string }>>;

export type MailName = keyof Texts;

/**
 * Fills `{{name}}` in the letter's text.
 *
 * @param language as browsers name it; what begins with `en` is English, anything else Chinese.
 */
export function writeMail(
  name: MailName,
  language: string,
  values: Readonly<Record<string, string>>,
): Omit<OutgoingMail, "to"> {
  const { subject, text } = letters[/^en\b/i.test(language) ? "en" : "zh"][name];
  const fill = (template: string): string =>
    template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? "");
  return { subject: fill(subject), text: fill(text) };
}
