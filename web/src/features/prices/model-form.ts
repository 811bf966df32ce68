/** Validates the form with the prices of one model. */

import {
  isLongContextAbove,
  longContextMax,
  readFurtherSteps,
} from "@tollgate/contract/money/long-context.ts";
import { priceFactorMax, readPriceFactor } from "@tollgate/contract/money/price-factors.ts";
import { modelNameMax, parseDecimal, reservedNames } from "@tollgate/contract/endpoints/prices.ts";
import { readModelTerm } from "@tollgate/contract/money/term-options.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import {
  type PriceField,
  priceFields,
  ratioNames,
  termFields,
  type TermOptionName,
} from "#widgets/money/price-maps.ts";
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
  LongCache: "",
  LongFurther: "",
  Tiers: "",
  Hours: "",
  Searches: "",
  Kinds: "",
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

/** Validates the field for a model's entry of an option, which is JSON; it may be empty. */
function termField(t: T, option: TermOptionName) {
  return z.string().transform((text, context) => {
    if (text.trim() === "") return undefined;
    const read = readModelTerm(option, text);
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
      LongCache: longFactorField(t),
      LongFurther: z.string(),
      Tiers: termField(t, "ServiceTierPrices"),
      Hours: termField(t, "HourPrices"),
      Searches: termField(t, "SearchPrices"),
      Kinds: termField(t, "TokenKindPrices"),
    })
    .refine((form) => form.ModelPrice !== undefined || form.ModelRatio !== undefined, {
      path: ["ModelRatio"],
      message: t("settings.priceNeeded"),
    })
    .transform((form, context) => ({ ...form, LongFurther: furtherOf(form, context, t) }))
    .refine(
      ({ LongAbove, LongRatio, LongCompletion, LongCache, LongFurther }) =>
        LongAbove !== undefined ||
        (LongRatio ?? LongCompletion ?? LongCache ?? LongFurther) === undefined,
      { path: ["LongAbove"], message: t("settings.longAboveNeeded") },
    )
    .refine(
      ({ LongAbove, LongRatio, LongCompletion, LongCache, LongFurther }) =>
        LongAbove === undefined ||
        (LongRatio ?? LongCompletion ?? LongCache ?? LongFurther) !== undefined,
      { path: ["LongRatio"], message: t("settings.longFactorNeeded") },
    )
    .transform(({ model, ...prices }): PriceRow => ({ model, prices: chosenPrices(prices) }));
  return z.preprocess(withoutIdleRatios, typed);
}

/** Reads the further steps of long prompts; undefined: there are none. */
function furtherOf(
  { LongAbove, LongFurther }: { LongAbove: string | undefined; LongFurther: string },
  context: z.RefinementCtx,
  t: T,
): string | undefined {
  if (LongFurther.trim() === "") return undefined;
  const read = readFurtherSteps(LongFurther, Number(LongAbove ?? "1"));
  if (read.ok) return read.value.length === 0 ? undefined : JSON.stringify(read.value);
  const message = showMessage(read.message, t);
  context.addIssue({ code: "custom", path: ["LongFurther"], message });
  return z.NEVER;
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
  for (const name of Object.values(termFields)) {
    const text = typed[name];
    if (text !== undefined) prices[name] = text;
  }
  if (typed.LongAbove === undefined) return prices;
  const { LongAbove, LongRatio = "1", LongCompletion = "1", LongCache, LongFurther } = typed;
  return {
    ...prices,
    LongAbove,
    LongRatio,
    LongCompletion,
    ...(LongCache === undefined ? {} : { LongCache }),
    ...(LongFurther === undefined ? {} : { LongFurther }),
  };
}
