/**
 * The forms of the user sheets: the values of their controls, and how these become the input of the
 * API. Pure functions.
 */

import { characterCount } from "@tollgate/contract/fields/fields.ts";
import { quotaReasonMax } from "@tollgate/contract/endpoints/user-admin.ts";
import {
  type AdminUser,
  displayNameMax,
  isPassword,
  passwordMax,
  passwordMin,
  usernameMax,
} from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { usernameSchema } from "#widgets/people/username-schema.ts";

export type NewUserForm = { username: string; display_name: string; password: string };

export type QuotaMode = "add" | "subtract";

export type UserForm = NewUserForm & {
  group: string;
  quota_mode: QuotaMode;
  /**
   * Quota units; null: nothing typed, so the balance does not change; NaN: the text is not an
   * amount.
   */
  quota_amount: number | null;
  /** The reason that is recorded with the change of the balance. */
  reason: string;
};

/** The API's input for an edit; it has only the changed values. */
export type UserEdit = {
  readonly username?: string;
  readonly display_name?: string;
  readonly password?: string;
  readonly group?: string;
  readonly quota_delta?: number;
  readonly reason?: string;
};

export const newUserForm: NewUserForm = { username: "", display_name: "", password: "" };

export function userFormOf(user: AdminUser): UserForm {
  return {
    username: user.username,
    display_name: user.display_name,
    password: "",
    group: user.group,
    quota_mode: "add",
    quota_amount: null,
    reason: "",
  };
}

/** Computes the quota units to add to the balance. A typed minus sign subtracts in either mode. */
export function quotaDelta(mode: QuotaMode, amount: number | null): number {
  if (amount === null || Number.isNaN(amount) || amount === 0) return 0;
  return mode === "subtract" ? -Math.abs(amount) : amount;
}

export function newUserSchema(t: T): z.ZodType<NewUserForm> {
  const missing = t("users.namesRequired");
  return z.object({
    username: nameSchema(t, { missing, kept: "" }),
    display_name: displayNameSchema(t),
    password: z
      .string()
      .min(1, { error: missing, abort: true })
      .refine(isPassword, passwordRule(t)),
  });
}

/**
 * Makes the schema of the edit form.
 * @param read the user as the form was filled: amounts are relative to this balance.
 */
export function userSchema(t: T, read: AdminUser): z.ZodType<UserEdit> {
  return (
    z
      .object({
        username: nameSchema(t, { missing: t("users.usernameRequired"), kept: read.username }),
        display_name: displayNameSchema(t),
        password: z.string().refine((text) => text === "" || isPassword(text), passwordRule(t)),
        group: z.string().min(1, t("users.groupRequired")),
        quota_mode: z.enum(["add", "subtract"]),
        quota_amount: z.union([z.number(), z.nan(), z.null()]),
        reason: z
          .string()
          .trim()
          .refine(
            (text) => characterCount(text) <= quotaReasonMax,
            t("users.reasonTooLong", { max: quotaReasonMax }),
          ),
      })
      // This rule is checked even if another field is invalid, so that all mistakes are shown at
      // the same time.
      .refine(({ quota_amount }) => isAmount(quota_amount), {
        path: ["quota_amount"],
        message: t("users.quotaRule"),
        when: always,
      })
      .refine((form) => !isTooLow(read.quota, form), {
        path: ["quota_amount"],
        message: t("users.quotaTooLow"),
        when: always,
      })
      .transform((form) => editOf(read, form))
  );
}

const always = () => true;

function isAmount(amount: number | null): boolean {
  return amount === null || Number.isSafeInteger(amount);
}

/**
 * Whether a change would bring the balance below 0. Additions never count, even if the balance
 * stays below 0.
 */
export function isTooLow(
  balance: number,
  { quota_mode, quota_amount }: Pick<UserForm, "quota_mode" | "quota_amount">,
): boolean {
  const delta = quotaDelta(quota_mode, quota_amount);
  return delta < 0 && balance + delta < 0;
}

/**
 * Returns the changed values. If the display name is empty, the username is sent, as for a new
 * user.
 */
function editOf(read: AdminUser, form: UserForm): UserEdit {
  const display_name = form.display_name === "" ? form.username : form.display_name;
  const delta = quotaDelta(form.quota_mode, form.quota_amount);
  return {
    ...(form.username === read.username ? {} : { username: form.username }),
    ...(display_name === read.display_name ? {} : { display_name }),
    ...(form.password === "" ? {} : { password: form.password }),
    ...(form.group === read.group ? {} : { group: form.group }),
    ...(delta === 0 ? {} : { quota_delta: delta }),
    ...(delta === 0 || form.reason === "" ? {} : { reason: form.reason }),
  };
}

function nameSchema(t: T, of: { readonly missing: string; readonly kept: string }) {
  const texts = {
    missing: of.missing,
    "too-long": t("users.usernameTooLong", { max: usernameMax }),
    "at-sign": t("users.usernameNoAt"),
    markup: t("users.usernameNoMarkup"),
    invisible: t("users.usernameHidden"),
  };
  return usernameSchema(texts, of.kept);
}

function displayNameSchema(t: T) {
  return z
    .string()
    .trim()
    .refine(
      (text) => characterCount(text) <= displayNameMax,
      t("users.displayNameTooLong", { max: displayNameMax }),
    );
}

function passwordRule(t: T): string {
  return t("users.passwordRule", { min: passwordMin, max: passwordMax });
}

/**
 * Whether somebody else has changed the user's settings since they were read. Spent quota does not
 * count as a change.
 */
export function isChangedElsewhere(read: AdminUser, now: AdminUser): boolean {
  const names = ["username", "display_name", "group", "role", "DeletedAt"] as const;
  return names.some((name) => read[name] !== now[name]);
}
