/** The form of redemption codes: the values of its controls, and the input of the API. */

import { characterCount } from "@tollgate/contract/fields/fields.ts";
import {
  type Redemption,
  redemptionBatchMax,
  redemptionNameMax,
  redemptionStatus,
  redemptionUserLimitMax,
} from "@tollgate/contract/endpoints/redemptions.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";

export type RedemptionForm = {
  name: string;
  /** Quota units; null: the field is empty; NaN: the text is not an amount. */
  quota: number | null;
  count: number | null;
  /** The group whose users may redeem the code; empty: every user. */
  group: string;
  /** Unix seconds; null: never. */
  expired_time: number | null;
  /** How many codes of the batch one user may redeem; null: any number. */
  user_limit: number | null;
};

/** The settings of a code as they are sent: always all of them. */
export type RedemptionValues = {
  readonly name: string;
  readonly quota: number;
  readonly group: string;
  readonly expired_time: number;
  readonly user_limit: number;
};

type RedemptionDraft = { readonly code: RedemptionValues; readonly count: number };

/** Suggested quotas, in units: 1, 5, 10, 50 and 100 dollars at 500,000 units per dollar. */
export const quotaPresets = [500_000, 2_500_000, 5_000_000, 25_000_000, 50_000_000];

/** The specification's defaults. */
export const newRedemptionForm: RedemptionForm = {
  name: "",
  quota: 100_000,
  count: 1,
  group: "",
  expired_time: null,
  user_limit: null,
};

export function redemptionFormOf(row: Redemption): RedemptionForm {
  return {
    name: row.name,
    quota: row.quota,
    count: 1,
    group: row.group,
    expired_time: row.expired_time === 0 ? null : row.expired_time,
    user_limit: row.user_limit === 0 ? null : row.user_limit,
  };
}

/**
 * Makes the schema of the form.
 * @param nowSeconds the present time, which a new code's expiry must follow; null: an existing
 * code, which also must have a name.
 */
export function redemptionSchema(t: T, nowSeconds: number | null): z.ZodType<RedemptionDraft> {
  const isNew = nowSeconds !== null;
  return z
    .object({
      name: z
        .string()
        .trim()
        .refine(
          (name) => characterCount(name) <= redemptionNameMax,
          t("redemptions.nameTooLong", { max: redemptionNameMax }),
        )
        .refine((name) => isNew || name !== "", t("redemptions.nameRequired")),
      quota: z
        .number(t("redemptions.quotaRule"))
        .int(t("redemptions.quotaRule"))
        .min(1, t("redemptions.quotaRule")),
      count: wholeUpTo(t, 1, redemptionBatchMax),
      group: z.string(),
      expired_time: z
        .number()
        .nullable()
        .refine(
          (time) => time === null || nowSeconds === null || time > nowSeconds,
          t("redemptions.expiryPast"),
        ),
      user_limit: z.union([z.null(), wholeUpTo(t, 1, redemptionUserLimitMax)]),
    })
    .transform(({ count, expired_time, user_limit, ...code }) => ({
      code: { ...code, expired_time: expired_time ?? 0, user_limit: user_limit ?? 0 },
      count,
    }));
}

function wholeUpTo(t: T, min: number, max: number) {
  const rule = t("redemptions.wholeRule", { min, max });
  return z.number(rule).int(rule).min(min, rule).max(max, rule);
}

/** What a code is worth to a user now. */
export type RedemptionState = "disabled" | "expired" | "unused" | "used";

export function redemptionState(row: Redemption, nowSeconds: number): RedemptionState {
  const { disabled, used } = redemptionStatus.enum;
  if (row.status === used) return "used";
  if (row.status === disabled) return "disabled";
  return row.expired_time !== 0 && row.expired_time <= nowSeconds ? "expired" : "unused";
}

/** Makes the masked form of a code: enough to tell codes apart, useless as a code. */
export function maskCode(code: string): string {
  return `${code.slice(0, 4)}••••${code.slice(-4)}`;
}
