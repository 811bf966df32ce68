import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { priceReasonMax } from "@tollgate/contract/endpoints/price-versions.ts";
import { useMemo } from "react";
import { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { BookPreview } from "./BookPreview.tsx";
import {
  bulkChanges,
  type BulkFault,
  type BulkForm,
  bulkModes,
  type BulkResult,
} from "./bulk-form.ts";
import { useSavePrices } from "./prices.api.ts";

const F = fieldsOf<BulkForm>();

const first: BulkForm = {
  mode: "factor",
  factor: "0.5",
  from: "",
  input: "",
  output: "",
  cacheRead: "",
  perCall: "",
  reason: "",
};

/**
 * A sheet that changes the prices of several models as one version: multiplies them, sets some of
 * them, or copies those of another model.
 */
export function BulkSheet(props: {
  readonly models: readonly string[];
  readonly list: PriceList;
  readonly onClose: () => void;
}) {
  const { models, list } = props;
  const t = useT();
  const { mutateAsync: save } = useSavePrices();
  const schema = useMemo(() => bulkSchema(models, list, t), [models, list, t]);
  return (
    <FormSheet<BulkForm, BulkResult & { readonly reason: string }>
      open
      width="lg"
      title={t("prices.bulkTitle", { count: models.length })}
      schema={schema}
      values={first}
      onSubmit={async ({ changes, reason }) => {
        const books = changes.flatMap(({ model, after }) =>
          after === undefined ? [] : [{ model, prices: after }],
        );
        await save({ books, reason, from: "form" });
      }}
      onClose={props.onClose}
    >
      <F.Custom name="mode" label={t("prices.bulkMode")}>
        {({ value, onChange }) => (
          <Segmented
            aria-label={t("prices.bulkMode")}
            items={[
              { value: "factor", label: t("prices.bulkFactor") },
              { value: "set", label: t("prices.bulkSet") },
              { value: "same", label: t("prices.bulkSame") },
            ]}
            value={value}
            onChange={onChange}
          />
        )}
      </F.Custom>
      <BulkFields models={models} list={list} />
      <F.Text name="reason" label={t("prices.reason")} />
    </FormSheet>
  );
}

function BulkFields(props: { readonly models: readonly string[]; readonly list: PriceList }) {
  const { models, list } = props;
  const t = useT();
  const form: BulkForm = {
    mode: F.useValue("mode"),
    factor: F.useValue("factor"),
    from: F.useValue("from"),
    input: F.useValue("input"),
    output: F.useValue("output"),
    cacheRead: F.useValue("cacheRead"),
    perCall: F.useValue("perCall"),
    reason: "",
  };
  const items = useMemo(
    () =>
      [...new Set([...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)])]
        .toSorted()
        .map((model) => ({ value: model, label: model, icon: <ModelMark model={model} /> })),
    [list],
  );
  const result = bulkChanges(form, models, list);
  return (
    <>
      {form.mode === "factor" && (
        <F.Text
          name="factor"
          label={t("prices.factor")}
          help={t("prices.factorHelp")}
          inputMode="decimal"
          prefix="×"
          required
        />
      )}
      {form.mode === "same" && (
        <F.Combobox name="from" label={t("prices.sameAs")} items={items} required />
      )}
      {form.mode === "set" && <SetFields />}
      {"changes" in result && (
        <>
          <BookPreview changes={result.changes} />
          {result.changes.length < models.length && (
            <p className="text-sm">
              <Muted>
                {t("prices.bulkLeft", { count: models.length - result.changes.length })}
              </Muted>
            </p>
          )}
        </>
      )}
    </>
  );
}

function SetFields() {
  const t = useT();
  const fields = [
    { name: "input", label: t("priceBook.input") },
    { name: "output", label: t("priceBook.output") },
    { name: "cacheRead", label: t("priceBook.cacheRead") },
    { name: "perCall", label: t("priceBook.perCall") },
  ] as const;
  return (
    <>
      <p className="text-sm">
        <Muted>{t("prices.setHelp")}</Muted>
      </p>
      <div className="grid min-w-0 gap-4 sm:grid-cols-2">
        {fields.map(({ name, label }) => (
          <F.Text
            key={name}
            name={name}
            label={label}
            inputMode="decimal"
            prefix="$"
            {...(name === "perCall" ? {} : { suffix: t("settings.aMillion") })}
          />
        ))}
      </div>
    </>
  );
}

function bulkSchema(models: readonly string[], list: PriceList, t: T) {
  return z
    .object({
      mode: z.enum(bulkModes),
      factor: z.string(),
      from: z.string(),
      input: z.string(),
      output: z.string(),
      cacheRead: z.string(),
      perCall: z.string(),
      reason: z.string().trim().max(priceReasonMax),
    })
    .transform((form, context) => {
      const result = bulkChanges(form, models, list);
      if ("changes" in result) return { ...result, reason: form.reason };
      context.addIssue({ code: "custom", path: [result.field], message: faultText(result, t) });
      return z.NEVER;
    });
}

function faultText({ kind, models = [] }: BulkFault, t: T): string {
  switch (kind) {
    case "number":
      return t("settings.numberNeeded");
    case "model":
      return t("prices.sameAsMissing");
    case "nothing":
      return t("prices.setNothing");
    case "inexact":
      return t("prices.inexact", { names: models.slice(0, 3).join(", "), count: models.length });
  }
}
