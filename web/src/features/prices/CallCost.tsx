import {
  charge,
  noUsage,
  type PriceList,
  priceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { readModelTerm } from "@tollgate/contract/money/term-options.ts";
import { useId, useState } from "react";
import { useT } from "#i18n/t.ts";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import {
  type PriceField,
  priceFields,
  type TermField,
  termFields,
} from "#widgets/money/price-maps.ts";
import { type ModelForm, plainCount } from "./model-form.ts";
import { longOf } from "./price-table.ts";

const F = fieldsOf<ModelForm>();

/** The largest number of groups that are shown, so that the form stays in view. */
const groupsMax = 4;

/** The largest number of tokens that can be typed for the example. */
const tokensMax = 100_000_000;

/**
 * Shows the cost of an example call in each group with the prices that are being typed, computed by
 * the function that charges real calls.
 */
export function CallCost(props: {
  readonly quotaPerUnit: string;
  /** The ratio of each group, by the group's name. */
  readonly groups: Readonly<Record<string, string>>;
}) {
  const { quotaPerUnit, groups } = props;
  const t = useT();
  const id = useId();
  const [input, setInput] = useState(1_000);
  const [output, setOutput] = useState(500);
  const values = useTyped();
  const list = listOf(values, quotaPerUnit, groups);
  const shown = Object.entries(groups).slice(0, groupsMax);
  return (
    <Card title={t("prices.example")}>
      <div className="grid min-w-0 gap-3 sm:grid-cols-2">
        <label htmlFor={`${id}-in`} className="flex min-w-0 flex-col gap-1.5 text-sm">
          {t("prices.exampleInput")}
          <NumberInput
            id={`${id}-in`}
            value={input}
            min={0}
            max={tokensMax}
            step={100}
            onChange={(value) => setInput(Math.round(value ?? 0))}
          />
        </label>
        <label htmlFor={`${id}-out`} className="flex min-w-0 flex-col gap-1.5 text-sm">
          {t("prices.exampleOutput")}
          <NumberInput
            id={`${id}-out`}
            value={output}
            min={0}
            max={tokensMax}
            step={100}
            onChange={(value) => setOutput(Math.round(value ?? 0))}
          />
        </label>
      </div>
      <output className="mt-3 flex flex-col gap-1 text-sm">
        {list === undefined ? (
          <Muted>{t("prices.exampleNone")}</Muted>
        ) : (
          shown.map(([group, ratio]) => {
            const price = unitPrice(list, model, group);
            return price === undefined ? null : (
              <span key={group} className="flex items-baseline justify-between gap-3">
                <Muted>{t("prices.exampleGroup", { group, ratio })}</Muted>
                <QuotaText quota={charge(price, { ...noUsage, input, output })} />
              </span>
            );
          })
        )}
      </output>
    </Card>
  );
}

/** The name that the example's model has in the price list made for it. */
const model = "m";

/** Makes a price list of the typed prices; undefined: a field is invalid, or no price is typed. */
function listOf(
  values: Readonly<Record<PriceField, string>>,
  quotaPerUnit: string,
  GroupRatio: Readonly<Record<string, string>>,
): PriceList | undefined {
  const byCall = values.ModelPrice.trim() !== "";
  if (!byCall && values.ModelRatio.trim() === "") return undefined;
  const maps: Partial<Record<PriceField, Record<string, string>>> = {};
  for (const name of priceFields) {
    if (isJson(name)) continue;
    // The ratios are left out for a model with a fixed price, which does not use them.
    const text = byCall && name !== "ModelPrice" ? "" : values[name].trim();
    const parsed = parseDecimal(text);
    if (text !== "" && !parsed.ok) return undefined;
    maps[name] = parsed.ok ? { [model]: parsed.value } : {};
  }
  // Safe cast: the loop has set every map. The example call is one of the default service tier.
  const { LongAbove, LongRatio, LongCompletion, LongCache, ...all } = maps as Record<
    Exclude<PriceField, JsonField>,
    Record<string, string>
  >;
  const above = LongAbove[model];
  const long = longOf({
    LongAbove: above,
    LongRatio: LongRatio[model],
    LongCompletion: LongCompletion[model],
    LongCache: LongCache[model],
    LongFurther: values.LongFurther.trim() || undefined,
  });
  const list = {
    ...all,
    QuotaPerUnit: quotaPerUnit,
    GroupRatio: { ...GroupRatio },
    LongContextPrices: above === undefined ? {} : { [model]: long },
  };
  if (byCall) return list;
  const terms: Record<string, unknown> = {};
  for (const name of ["SearchPrices", "TokenKindPrices"] as const) {
    const text = values[termFields[name]].trim();
    const read = text === "" ? undefined : readModelTerm(name, text);
    if (read?.ok === false) return undefined;
    if (read !== undefined) terms[name] = { [model]: read.value };
  }
  return priceList.parse({ ...list, ...terms });
}

type JsonField = TermField | "LongFurther";

function isJson(name: PriceField): name is JsonField {
  return name === "LongFurther" || Object.values(termFields).some((field) => field === name);
}

function useTyped(): Record<PriceField, string> {
  return {
    ModelPrice: F.useValue("ModelPrice"),
    ModelRatio: F.useValue("ModelRatio"),
    CompletionRatio: F.useValue("CompletionRatio"),
    CacheRatio: F.useValue("CacheRatio"),
    CreateCacheRatio: F.useValue("CreateCacheRatio"),
    CreateCacheRatio1h: F.useValue("CreateCacheRatio1h"),
    ImageRatio: F.useValue("ImageRatio"),
    AudioRatio: F.useValue("AudioRatio"),
    AudioCompletionRatio: F.useValue("AudioCompletionRatio"),
    LongAbove: plainCount(F.useValue("LongAbove")),
    LongRatio: F.useValue("LongRatio"),
    LongCompletion: F.useValue("LongCompletion"),
    LongCache: F.useValue("LongCache"),
    LongFurther: F.useValue("LongFurther"),
    Tiers: F.useValue("Tiers"),
    Hours: F.useValue("Hours"),
    Searches: F.useValue("Searches"),
    Kinds: F.useValue("Kinds"),
  };
}
