/** Validates the form with the prices of one model. */

import { isLongContextAbove, longContextMax } from "@tollgate/contract/long-context.ts";
import { priceFactorMax, readPriceFactor } from "@tollgate/contract/price-factors.ts";
import { modelNameMax, parseDecimal, reservedNames } from "@tollgate/contract/prices.ts";
import { readModelTiers } from "@tollgate/contract/service-tier-prices.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { type PriceField, priceFields, ratioNames } from "#widgets/money/price-maps.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import type { ModelPrices, PriceRow } from "./price-table.ts";

export type ModelForm = { model: string } & Record<PriceField, string>;

export function modelForm(row: PriceRow): ModelForm {
  const form: ModelForm = { ...noPrices, model: row.model };
  for (const name of priceFields) form[name] = row.prices[name] ?? "";
  return form;
}

const noPrices: Record<PriceField, string> = {
  ModelPrice: "",
  ModelRatio: "",
  CompletionRatio: "",
  CacheRatio: "",
  CreateCacheRatio: "",
  CreateCacheRatio1h: "",
  ImageRatio: "",
  AudioRatio: "",
  AudioCompletionRatio: "",
  LongAbove: "",
  LongRatio: "",
  LongCompletion: "",
  Tiers: "",
};

/** Validates a field for a decimal of at least 0, which may be empty. */
function decimalField(t: T) {
  return z.string().transform((text, context) => {
    if (text.trim() === "") return undefined;
    const parsed = parseDecimal(text);
    if (parsed.ok) return parsed.value;
    const message = parsed.message.startsWith("不是数字")
      ? t("settings.numberNeeded")
      : parsed.message.startsWith("不能小于")
        ? t("settings.notNegative")
        : t("settings.numberRange");
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** Removes the separators of thousands, as people write them: `200,000`. */
export function plainCount(text: string): string {
  return text.replaceAll(/[,\s]/g, "");
}

/** Validates the field for the tokens above which a prompt is long; it may be empty. */
function longAboveField(t: T) {
  return z.string().transform((text, context) => {
    if (text.trim() === "") return undefined;
    const above = Number(plainCount(text));
    if (isLongContextAbove(above)) return String(above);
    const message = t("settings.longAboveRange", { max: longContextMax.toLocaleString("en-US") });
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** Validates a field for a factor of long prompts; it may be empty. */
function longFactorField(t: T) {
  return z.string().transform((text, context) => {
    if (text.trim() === "") return undefined;
    const factor = readPriceFactor(text);
    if (factor !== undefined) return factor;
    const message = t("settings.longFactorRange", { max: String(priceFactorMax) });
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** Validates the field for the prices of service tiers; it may be empty. */
function tiersField(t: T) {
  return z.string().transform((text, context) => {
    if (text.trim() === "") return undefined;
    const read = readModelTiers(text);
    if (read.ok) return JSON.stringify(read.value);
    context.addIssue({ code: "custom", message: showMessage(read.message, t) });
    return z.NEVER;
  });
}

/**
 * Makes the schema of the form.
 * @param taken the names of the other models that have a price.
 */
export function modelSchema(t: T, taken: ReadonlySet<string>) {
  const decimal = decimalField(t);
  const typed = z
    .object({
      model: z
        .string()
        .trim()
        .min(1, t("settings.modelNameMissing"))
        .max(modelNameMax, t("settings.modelNameBad"))
        .refine((name) => !reservedNames.has(name), t("settings.modelNameBad"))
        .refine((name) => !taken.has(name), t("settings.modelNameTaken")),
      ModelPrice: decimal,
      ModelRatio: decimal,
      CompletionRatio: decimal,
      CacheRatio: decimal,
      CreateCacheRatio: decimal,
      CreateCacheRatio1h: decimal,
      ImageRatio: decimal,
      AudioRatio: decimal,
      AudioCompletionRatio: decimal,
      LongAbove: longAboveField(t),
      LongRatio: longFactorField(t),
      LongCompletion: longFactorField(t),
      Tiers: tiersField(t),
    })
    .refine((form) => form.ModelPrice !== undefined || form.ModelRatio !== undefined, {
      path: ["ModelRatio"],
      message: t("settings.priceNeeded"),
    })
    .refine(
      ({ LongAbove, LongRatio, LongCompletion }) =>
        LongAbove !== undefined || (LongRatio ?? LongCompletion) === undefined,
      { path: ["LongAbove"], message: t("settings.longAboveNeeded") },
    )
    .refine(
      ({ LongAbove, LongRatio, LongCompletion }) =>
        LongAbove === undefined || (LongRatio ?? LongCompletion) !== undefined,
      { path: ["LongRatio"], message: t("settings.longFactorNeeded") },
    )
    .transform(({ model, ...prices }): PriceRow => ({ model, prices: chosenPrices(prices) }));
  return z.preprocess(withoutIdleRatios, typed);
}

/**
 * Removes the ratios from the form's values if a fixed price is typed: their inputs are then
 * disabled, so invalid ratios must not block the form.
 */
function withoutIdleRatios(form: unknown): unknown {
  // Safe cast: the schema validates only values of this form.
  const values = form as ModelForm;
  if (values.ModelPrice.trim() === "") return values;
  return { ...values, ...noPrices, ModelPrice: values.ModelPrice };
}

/**
 * Keeps either the fixed price or the ratios, because ratios have no effect on a model with a fixed
 * price.
 */
function chosenPrices(typed: Readonly<Record<PriceField, string | undefined>>): ModelPrices {
  if (typed.ModelPrice !== undefined) return { ModelPrice: typed.ModelPrice };
  const prices: Partial<Record<PriceField, string>> = {};
  for (const name of ratioNames) {
    const text = typed[name];
    if (text !== undefined) prices[name] = text;
  }
  if (typed.Tiers !== undefined) prices.Tiers = typed.Tiers;
  if (typed.LongAbove === undefined) return prices;
  const { LongAbove, LongRatio = "1", LongCompletion = "1" } = typed;
  return { ...prices, LongAbove, LongRatio, LongCompletion };
}
