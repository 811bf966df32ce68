/**
 * The settings of users for their notification ways: the fields of
 * `@tollgate/contract/kinds/notice-ways.ts`. They are stored as one sealed JSON text per user, because
 * addresses of webhooks are often secrets themselves.
 */

import {
  fieldsOfWay,
  noticeFields,
  type NoticeSettings,
  type NotifyType,
} from "@tollgate/contract/kinds/notice-ways.ts";
import { type Field, parseField } from "@tollgate/contract/kinds/kinds.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";
import { z } from "zod";
import { type AddressPolicy, judgeUrl } from "#base/address-policy.ts";
import { Refusal } from "#base/refusal.ts";
import { SecretError, type Secrets } from "#base/secrets.ts";

function sealContext(userId: number): string {
  return `notification_settings|settings|${userId}`;
}

/** Makes the stored form of a user's settings: a sealed JSON text. */
export function sealSettings(secrets: Secrets, userId: number, settings: NoticeSettings): string {
  return secrets.seal(sealContext(userId), JSON.stringify(settings));
}

const stored = z.record(z.string(), z.record(z.string(), z.unknown()));

/**
 * Reads a user's stored settings. If they were altered, or sealed for another user or with another
 * key, they count as empty, so that the user can save new ones.
 */
export function openSettings(secrets: Secrets, userId: number, text: string): NoticeSettings {
  if (text.startsWith("{")) return openMoved(secrets, userId, text);
  const opened = text === "" ? undefined : tryOpen(secrets, sealContext(userId), text);
  return opened === undefined ? {} : stored.parse(JSON.parse(opened));
}

function tryOpen(secrets: Secrets, context: string, sealed: string): string | undefined {
  try {
    return secrets.open(context, sealed);
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

/**
 * Reads settings in the form in which the migration `20261122-2245-notice-settings` stored them: a
 * JSON object of the former columns. The migration had no secret key, so only the values that were
 * sealed before are sealed, each for its former column. The next save seals the whole text.
 */
function openMoved(secrets: Secrets, userId: number, json: string): NoticeSettings {
  const columns = z.record(z.string(), z.string()).parse(JSON.parse(json));
  const settings: Changed = {};
  for (const { way, name, sentAs, field } of noticeFields) {
    const { ownerSentAs } = field;
    const text = columns[sentAs] ?? "";
    if (text === "" || (ownerSentAs !== undefined && columns[ownerSentAs] !== way)) continue;
    const column = ownerSentAs === undefined ? sentAs : `${sentAs}|${way}`;
    const context = `notification_settings|${column}|${userId}`;
    const value = field.secret ? tryOpen(secrets, context, text) : text;
    if (value !== undefined) settings[way] = { ...settings[way], [name]: value };
  }
  return settings;
}

type Changed = Partial<Record<NotifyType, Record<string, unknown>>>;

/**
 * The texts of a request that saves settings, by their names in the API; undefined: absent or
 * empty.
 */
type SentSettings = Readonly<Record<string, string | undefined>>;

/**
 * Computes the settings after a save. A secret that was not sent keeps its value. If several ways
 * have a secret of the same name in the API, the sent one goes to the chosen way, and the others
 * lose theirs. Invalid values for ways that are not chosen are ignored, because the page hides
 * their fields.
 * @throws Refusal `invalid-input` if the chosen way lacks a required field, or has an address that
 * the server must not call.
 */
export function changeSettings(
  before: NoticeSettings,
  { chosen, sent }: { readonly chosen: NotifyType; readonly sent: SentSettings },
  policy: AddressPolicy,
): NoticeSettings {
  const after: Changed = {};
  for (const { way, name, sentAs, field } of noticeFields) {
    const text = field.ownerSentAs === undefined || way === chosen ? sent[sentAs] : undefined;
    const judged = text === undefined ? undefined : judge(field, text, policy);
    if (judged?.ok === false && way === chosen) throw invalid(sentAs, judged.message);
    const stays = judged?.ok === false || (field.secret && !losesTo(chosen, way, sentAs));
    const kept = stays ? before[way]?.[name] : undefined;
    const next = judged?.ok === true ? judged.value : kept;
    if (next !== undefined) after[way] = { ...after[way], [name]: next };
  }
  for (const { name, sentAs, field } of fieldsOfWay(chosen)) {
    const isEmpty = (after[chosen]?.[name] ?? field.defaultValue) === "";
    if (field.required !== undefined && isEmpty) throw invalid(sentAs, field.required);
  }
  return after;

  /**
   * Whether a way loses its secret, because the secret that was sent under the same name goes to
   * the chosen way.
   */
  function losesTo(chosenWay: NotifyType, way: NotifyType, sentAs: string): boolean {
    const isSent = way !== chosenWay && sent[sentAs] !== undefined;
    return isSent && fieldsOfWay(chosenWay).some((each) => each.sentAs === sentAs);
  }
}

function judge(field: Field, text: string, policy: AddressPolicy): Parsed<unknown> {
  const parsed = parseField(field, text);
  if (!parsed.ok || field.type !== "address" || isPublic(String(parsed.value), policy)) {
    return parsed;
  }
  return { ok: false, message: field.forbidden ?? "无效的参数" };
}

/** The ports of addresses that users may enter; empty: the scheme's default. */
const ports: readonly string[] = ["", "80", "443", "8080", "8443"];

/**
 * Checks an address as far as possible before its name is resolved. The IP address is checked with
 * each request.
 */
function isPublic(address: string, policy: AddressPolicy): boolean {
  const judged = judgeUrl(address, policy);
  // Placeholders such as `{{title}}` are allowed only after the host.
  return judged.ok && ports.includes(judged.url.port) && !judged.url.hostname.includes("{");
}

function invalid(field: string, message: string): Refusal {
  return new Refusal("invalid-input", message, { field });
}

/**
 * Reads the settings of one notification way for its sender. Defaults are filled in, and every
 * value is checked again, because the contract may have changed since the settings were saved.
 * @returns the values or, if a required field is empty, the name of this field.
 */
export function readWay(
  settings: NoticeSettings,
  way: NotifyType,
):
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly missing: string; readonly message: string } {
  const values: Record<string, unknown> = {};
  for (const { name, sentAs, field } of fieldsOfWay(way)) {
    const parsed = parseField(field, String(settings[way]?.[name] ?? field.defaultValue));
    const value = parsed.ok ? parsed.value : field.defaultValue;
    if (value === "" && field.required !== undefined) {
      return { ok: false, missing: sentAs, message: field.required };
    }
    values[name] = value;
  }
  return { ok: true, values };
}
