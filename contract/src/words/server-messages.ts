/**
 * Translates the server's messages. They are Chinese, except for some English ones that the
 * specification prescribes. The keys of `server-messages.en.json` are the server's messages, with
 * `{{1}}` where the server inserts a value; the console's `zh/server.json` contains the messages
 * that need other words in Chinese, too. In a translation, `{{quota1}}` is the value of `{{1}}` when
 * that is an amount in quota units, which is then shown as the console shows amounts.
 */

type MessageCatalogue = Readonly<Record<string, string>>;

/** Translates a message of the server; undefined: the catalogue does not contain the message. */
export type TranslateMessage = (
  message: string,
  showQuota?: (quota: number) => string,
) => string | undefined;

/**
 * How deep messages inside messages are translated: an inserted value may be a message itself, as
 * in "<option>：<fault>".
 */
const depthMax = 3;

/** A message with inserted values: the fixed texts around the values, in their order. */
type Pattern = { readonly fixed: readonly string[]; readonly translation: string };

export function openMessages(catalogue: MessageCatalogue): TranslateMessage {
  const keys = Object.keys(catalogue);
  const endings = keys.filter((key) => key.startsWith("，"));
  // The patterns are sorted by the length of their fixed text: if several match a message, the one
  // with the most fixed text is the most specific, so it is tried first.
  const patterns = keys
    .filter((key) => key.includes("{{"))
    .toSorted((a, b) => ownLength(b) - ownLength(a))
    .map((key): Pattern => ({ fixed: key.split(placeholder), translation: catalogue[key] ?? "" }));

  const translate = (
    message: string,
    depth: number,
    showQuota: (quota: number) => string,
  ): string | undefined => {
    const exact = catalogue[message];
    if (exact !== undefined || depth > depthMax) return exact;
    const inner = (text: string): string => translate(text, depth + 1, showQuota) ?? text;
    const ending = endings.find((key) => message.endsWith(key));
    if (ending !== undefined) {
      return inner(message.slice(0, -ending.length)) + (catalogue[ending] ?? "");
    }
    for (const { fixed, translation } of patterns) {
      const values = valuesIn(message, fixed);
      if (values === undefined) continue;
      return translation.replaceAll(
        /\{\{(quota)?(\d+)\}\}/g,
        (_, isQuota: string | undefined, at: string) => {
          const value = values[Number(at) - 1] ?? "";
          if (isQuota === undefined) return inner(value);
          // The amount may be followed by "：" and a reason, which is translated on its own.
          return inner(value.replace(/^-?\d+(?=：|$)/, (quota) => showQuota(Number(quota))));
        },
      );
    }
    return undefined;
  };
  return (message, showQuota = String) => translate(message, 0, showQuota);
}

/** Where a message has an inserted value. The values are numbered in their order. */
const placeholder = /\{\{\d+\}\}/g;

/**
 * The values between the fixed texts of a pattern; undefined: the message does not match. Values
 * are as short as possible. The time is linear in the length of the message, because clients choose
 * some of the values.
 */
function valuesIn(message: string, fixed: readonly string[]): string[] | undefined {
  const [first = "", ...others] = fixed;
  const last = others.pop() ?? "";
  const end = message.length - last.length;
  if (!message.startsWith(first) || !message.endsWith(last)) return undefined;
  const values: string[] = [];
  let from = first.length;
  for (const text of others) {
    const at = message.indexOf(text, from);
    if (at < 0) return undefined;
    values.push(message.slice(from, at));
    from = at + text.length;
  }
  if (from > end) return undefined;
  return [...values, message.slice(from, end)];
}

function ownLength(key: string): number {
  return key.replaceAll(placeholder, "").length;
}
