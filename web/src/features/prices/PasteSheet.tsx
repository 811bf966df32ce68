import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { pastedMax, readTable } from "./bulk-prices.ts";
import { PriceChanges } from "./PriceChanges.tsx";
import { type PriceMaps, priceRows, type PriceRow, pricesOf, samePrices } from "./price-table.ts";

type PasteForm = { readonly text: string };

const F = fieldsOf<PasteForm>();

/** The largest number of unreadable lines that are shown. */
const faultsMax = 5;

const example = "gpt-4o\t2.50\t10.00\ndall-e-3\t0.04\tcall";

/**
 * A sheet that reads prices from a pasted table, copied from a spreadsheet or a provider's page.
 */
export function PasteSheet(props: {
  readonly maps: PriceMaps;
  readonly quotaPerUnit: string;
  readonly onApply: (rows: readonly PriceRow[]) => void;
  readonly onClose: () => void;
}) {
  const { maps, quotaPerUnit } = props;
  const t = useT();
  const schema = useMemo(
    () =>
      z
        .object({ text: z.string().max(pastedMax, t("prices.pasteTooLong")) })
        .transform(({ text }, context): readonly PriceRow[] => {
          const { rows } = readTable(text, maps, quotaPerUnit);
          if (rows.length > 0) return rows;
          context.addIssue({ code: "custom", path: ["text"], message: t("prices.pasteNone") });
          return z.NEVER;
        }),
    [maps, quotaPerUnit, t],
  );
  return (
    <FormSheet<PasteForm, readonly PriceRow[]>
      open
      title={t("prices.pasteTitle")}
      submitLabel={t("prices.apply")}
      footerNote={t("prices.applyNote")}
      schema={schema}
      values={{ text: "" }}
      onSubmit={async (rows) => props.onApply(rows)}
      onClose={props.onClose}
    >
      <F.Textarea
        name="text"
        label={t("prices.pasteLabel")}
        help={t("prices.pasteHelp")}
        placeholder={example}
        rows={10}
        fixedWidth
        required
      />
      <Found maps={maps} quotaPerUnit={quotaPerUnit} />
    </FormSheet>
  );
}

/** A preview of what would change, with the lines that cannot be read. */
function Found({ maps, quotaPerUnit }: { maps: PriceMaps; quotaPerUnit: string }) {
  const t = useT();
  const text = F.useValue("text");
  const { rows, faults } = useMemo(
    () => readTable(text.slice(0, pastedMax), maps, quotaPerUnit),
    [text, maps, quotaPerUnit],
  );
  const changed = rows.filter(({ model, prices }) => !samePrices(prices, pricesOf(maps, model)));
  return (
    <>
      {faults.length > 0 && (
        <Banner tone="warning" title={t("prices.pasteFaults", { count: faults.length })}>
          <ul className="mt-1 text-sm">
            {faults.slice(0, faultsMax).map(({ line, text: content }) => (
              <li key={line} className="wrap-anywhere">
                {t("prices.pasteFault", { line, text: content })}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <PriceChanges before={priceRows(maps)} after={changed} quotaPerUnit={quotaPerUnit} />
    </>
  );
}
