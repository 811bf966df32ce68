/**
 * What visitors who look around in a demo are not told: who the other visitors are, and where they
 * come from. They read as root does, and in a public demo root's lists name real people.
 */

import { isIP } from "node:net";

/** Changes an answer into what may be shown; `asked` is the input of the call. */
type Veil = (answer: unknown, asked: Readonly<Record<string, unknown>>) => unknown;

type VeilOptions = {
  /** Whether an account is the demo's own, so that its name tells nobody. */
  readonly isOurs: (name: string) => boolean;
  /** Returns a short text that is the same for a name each time, and does not tell it. */
  readonly markOf: (name: string) => string;
};

/** Fields with the name of an account. */
const names: ReadonlySet<string> = new Set([
  "actor_name",
  "created_by_name",
  "display_name",
  "used_username",
  "username",
]);

/** Fields that tell where somebody comes from, or who that is elsewhere. */
const traces: ReadonlySet<string> = new Set([
  "allow_ips",
  "client_ip",
  "deny_ips",
  "email",
  "github_id",
  "linux_do_id",
  "oidc_id",
  "payee",
  "telegram_id",
  "user_agent",
  "wechat_id",
]);

/** Fields with what other companies' servers have sent of a payment. */
const letters: ReadonlySet<string> = new Set(["answer", "raw"]);

/** Fields with JSON text. */
const jsonTexts: ReadonlySet<string> = new Set(["detail", "other", "setting"]);

/** Lists whose parts have the name of an account as `name` or `value`. */
const accountLists: ReadonlySet<string> = new Set(["most", "users"]);

/** What stands in place of what is not told. */
export const hidden = "•••";

const mailAddress = /(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+/g;

/** What may be an IP address; `isIP` decides. */
const wordOfAddress = /(?<![\w.:])[0-9a-f]*[.:][0-9a-f.:]+(?![\w.:])/gi;

/** Addresses of no visitor: of the machine itself, and those that documents and the demo use. */
const plainAddress =
  /^(127\.|0\.0\.0\.0$|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|::1?$|2001:db8:)/i;

export function openVeil({ isOurs, markOf }: VeilOptions): Veil {
  const hideName = (name: string): string =>
    name === "" || isOurs(name) ? name : `visitor-${markOf(name)}`;

  const hideText = (text: string): string =>
    text
      .replaceAll(mailAddress, hidden)
      .replaceAll(wordOfAddress, (word) =>
        isIP(word) === 0 || plainAddress.test(word) ? word : hidden,
      );

  const hideField = (field: string, value: unknown, isAccount: boolean): unknown => {
    if (typeof value !== "string") return hide(value, isAccount || accountLists.has(field));
    if (value === "") return value;
    if (names.has(field) || (isAccount && field === "name")) return hideName(value);
    if (isAccount && field === "value") return /^\d+$/.test(value) ? value : hideName(value);
    if (traces.has(field)) return isPlain(value) ? value : hidden;
    if (letters.has(field)) return hidden;
    return jsonTexts.has(field) ? hideJson(value) : hideText(value);
  };

  const hideJson = (text: string): string => {
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      return hideText(text);
    }
    return JSON.stringify(hide(read, false));
  };

  /** @param isAccount whether `name` and `value` are the name of an account. */
  const hide = (shown: unknown, isAccount: boolean): unknown => {
    if (typeof shown === "string") return hideText(shown);
    if (Array.isArray(shown)) return shown.map((part: unknown) => hide(part, isAccount));
    if (typeof shown !== "object" || shown === null) return shown;
    const fields = Object.entries(shown);
    const named = pairOf(fields);
    if (named !== null) return { ...shown, value: hideField(named.field, named.value, false) };
    const isNote = "target" in shown && String(shown.target).startsWith("user:");
    return Object.fromEntries(
      fields.map(([field, value]) => {
        const known = isNote && field === "target_name" ? "username" : field;
        return [field, hideField(known, value, isAccount)];
      }),
    );
  };

  return (answer, asked) => hide(answer, asked["by"] === "user" || asked["facet"] === "user");
}

function isPlain(text: string): boolean {
  return text.split(/[\s,]+/).every((word) => plainAddress.test(word));
}

/** A field that is written as `{"name": "client_ip", "value": "…"}`; null: these are other fields. */
function pairOf(
  fields: readonly (readonly [string, unknown])[],
): { readonly field: string; readonly value: unknown } | null {
  const [name, value] = fields;
  if (fields.length !== 2 || name?.[0] !== "name" || value?.[0] !== "value") return null;
  return { field: String(name[1]), value: value[1] };
}
