/**
 * The language of error messages, of the relay and of the console API. The code throws the texts of
 * the specification, which are Chinese and also stand in the log; callers who read English get the
 * translation that the console shows.
 */

import { errorLanguage, type Language } from "@tollgate/contract/words/languages.ts";
import english from "@tollgate/contract/words/server-messages.en.json" with { type: "json" };
import { openMessages } from "@tollgate/contract/words/server-messages.ts";

/**
 * Puts an error message into the caller's language.
 *
 * @param acceptLanguage the request's header; null: there is none.
 */
export type ErrorTexts = (message: string, acceptLanguage: string | null) => string;

type ErrorSettings = {
  /** The language for callers that name none. */
  readonly language: () => Language;
  /** Writes an amount of quota units for people. */
  readonly showQuota: (quota: number) => string;
};

const chinese = /[\u4e00-\u9fff]/;

export function openErrorTexts({ language, showQuota }: ErrorSettings): ErrorTexts {
  const translate = openMessages(english);
  return (message, acceptLanguage) => {
    if (errorLanguage(acceptLanguage, language()) === "zh" || !chinese.test(message)) {
      return message;
    }
    return translate(message, showQuota) ?? message;
  };
}
