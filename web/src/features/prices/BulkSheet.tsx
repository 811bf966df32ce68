import { parseDecimal } from "@tollgate/contract/prices.ts";
import { useMemo } from "react";
import { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { multiply } from "./bulk-prices.ts";
import { PriceChanges } from "./PriceChanges.tsx";
import type { PriceRow } from "./price-table.ts";

type BulkForm = {
  readonly mode: "factor" | "same";
  readonly factor: string;
  readonly from: string;
};

const F = fieldsOf<BulkForm>();

const first: BulkForm = { mode: "factor", factor: "0.5", from: "" };

/**
 * A sheet that changes the prices of several models: multiplies them by a factor, or sets them to
 * those of another model.
 */
export function BulkSheet(props: {
  readonly rows: readonly PriceRow[];
  /** The models that have a price, one of which can be the model to copy from. */
  readonly priced: readonly PriceRow[];
  readonly quotaPerUnit: string;
  readonly onApply: (rows: readonly PriceRow[]) => void;
  readonly onClose: () => void;
}) {
  const { rows, priced, quotaPerUnit } = props;
  const t = useT();
  const schema = useMemo(() => bulkSchema(rows, priced, t), [rows, priced, t]);
  return (
    <FormSheet<BulkForm, readonly PriceRow[]>
      open
      title={t("prices.bulkTitle", { count: rows.length })}
      submitLabel={t("prices.apply")}
      footerNote={t("prices.applyNote")}
      schema={schema}
      values={first}
      onSubmit={async (changed) => props.onApply(changed)}
      onClose={props.onClose}
    >
      <F.Custom name="mode" label={t("prices.bulkMode")}>
        {({ value, onChange }) => (
          <Segmented
            aria-label={t("prices.bulkMode")}
            items={[
              { value: "factor", label: t("prices.bulkFactor") },
              { value: "same", label: t("prices.bulkSame") },
            ]}
            value={value}
            onChange={onChange}
          />
        )}
      </F.Custom>
      <BulkFields rows={rows} priced={priced} quotaPerUnit={quotaPerUnit} />
    </FormSheet>
  );
}

function BulkFields(props: {
  readonly rows: readonly PriceRow[];
  readonly priced: readonly PriceRow[];
  readonly quotaPerUnit: string;
}) {
  const { rows, priced, quotaPerUnit } = props;
  const t = useT();
  const form: BulkForm = {
    mode: F.useValue("mode"),
    factor: F.useValue("factor"),
    from: F.useValue("from"),
  };
  const items = useMemo(
    () =>
      priced.map(({ model }) => ({
        value: model,
        label: model,
        icon: <ModelMark model={model} />,
      })),
    [priced],
  );
  const changed = changedBy(form, rows, priced);
  return (
    <>
      {form.mode === "factor" ? (
        <F.Text
          name="factor"
          label={t("prices.factor")}
          help={t("prices.factorHelp")}
          inputMode="decimal"
          prefix="×"
          required
        />
      ) : (
        <F.Combobox name="from" label={t("prices.sameAs")} items={items} required />
      )}
      {typeof changed === "string" ? null : (
        <>
          <PriceChanges before={rows} after={changed} quotaPerUnit={quotaPerUnit} />
          {changed.length < rows.length && (
            <p className="text-sm">
              <Muted>{t("prices.bulkLeft", { count: rows.length - changed.length })}</Muted>
            </p>
          )}
        </>
      )}
    </>
  );
}

/** Returns the models with their new prices; or the name of the input that is invalid. */
function changedBy(
  { mode, factor, from }: BulkForm,
  rows: readonly PriceRow[],
  priced: readonly PriceRow[],
): readonly PriceRow[] | "factor" | "from" | "size" {
  if (mode === "same") {
    const source = priced.find(({ model }) => model === from);
    if (source === undefined) return "from";
    return rows.map(({ model }) => ({ model, prices: source.prices }));
  }
  const parsed = parseDecimal(factor);
  if (factor.trim() === "" || !parsed.ok) return "factor";
  return multiply(rows, parsed.value) ?? "size";
}

function bulkSchema(rows: readonly PriceRow[], priced: readonly PriceRow[], t: T) {
  return z
    .object({ mode: z.enum(["factor", "same"]), factor: z.string(), from: z.string() })
    .transform((form, context): readonly PriceRow[] => {
      const changed = changedBy(form, rows, priced);
      if (typeof changed !== "string") return changed;
      const messages = {
        factor: t("settings.numberNeeded"),
        from: t("prices.sameAsMissing"),
        size: t("settings.numberRange"),
      };
      const path = [changed === "from" ? "from" : "factor"];
      context.addIssue({ code: "custom", path, message: messages[changed] });
      return z.NEVER;
    });
}
