import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import type { PriceFile } from "@tollgate/contract/money/price-csv.ts";
import { priceReasonMax } from "@tollgate/contract/endpoints/price-versions.ts";
import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { TextFileButton } from "#ui/form/TextFileButton.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { BookPreview } from "./BookPreview.tsx";
import { importMax, readImport } from "./import-prices.ts";
import { useSavePrices } from "./prices.api.ts";

type ImportForm = { readonly text: string; readonly reason: string };
type Import = { readonly rows: PriceFile["rows"]; readonly reason: string };

const F = fieldsOf<ImportForm>();

/** The largest number of wrong lines that are shown. */
const faultsMax = 8;

const example = "gpt-4o\t2.50\t10.00\ndall-e-3\t0.04\tcall";

/**
 * A sheet that reads prices from a CSV file or a pasted table and saves them as one version: all of
 * them, or none while a line is wrong.
 */
export function ImportSheet(props: { readonly list: PriceList; readonly onClose: () => void }) {
  const { list } = props;
  const t = useT();
  const { mutateAsync: save } = useSavePrices();
  const schema = useMemo(
    () =>
      z
        .object({
          text: z.string().max(importMax, t("prices.pasteTooLong")),
          reason: z.string().trim().max(priceReasonMax),
        })
        .transform(({ text, reason }, context): Import => {
          const { rows, faults } = readImport(text, list);
          if (rows.length > 0 && faults.length === 0) return { rows, reason };
          const message =
            faults.length > 0
              ? t("prices.importFaults", { count: faults.length })
              : t("prices.pasteNone");
          context.addIssue({ code: "custom", path: ["text"], message });
          return z.NEVER;
        }),
    [list, t],
  );
  return (
    <FormSheet<ImportForm, Import>
      open
      width="lg"
      title={t("prices.importTitle")}
      submitLabel={t("prices.import")}
      schema={schema}
      values={{ text: "", reason: "" }}
      onSubmit={async ({ rows, reason }) => {
        const books = rows.map(({ model, prices }) => ({ model, prices }));
        await save({ books, reason, from: "file" });
      }}
      onClose={props.onClose}
    >
      <F.Textarea
        name="text"
        label={t("prices.pasteLabel")}
        help={t("prices.importHelp")}
        placeholder={example}
        rows={10}
        fixedWidth
        required
      />
      <TextFileButton
        name="text"
        label={t("prices.importFile")}
        accept=".csv,.tsv,.txt,text/csv"
        max={importMax}
      />
      <Found list={list} />
      <F.Text name="reason" label={t("prices.reason")} />
    </FormSheet>
  );
}

/** A preview of what would change, or the lines that are wrong. */
function Found({ list }: { readonly list: PriceList }) {
  const t = useT();
  const text = F.useValue("text");
  const { rows, faults } = useMemo(() => readImport(text.slice(0, importMax), list), [text, list]);
  if (faults.length > 0) {
    return (
      <Banner tone="danger" title={t("prices.importFaults", { count: faults.length })}>
        <ul className="mt-1">
          {faults.slice(0, faultsMax).map(({ line, message }) => (
            <li key={line}>{t("prices.pasteFault", { line, text: showMessage(message, t) })}</li>
          ))}
          {faults.length > faultsMax && (
            <li>{t("prices.previewRest", { count: faults.length - faultsMax })}</li>
          )}
        </ul>
      </Banner>
    );
  }
  const changes = rows.map(({ model, prices }) => ({
    model,
    before: readBook(list, model),
    after: prices,
  }));
  return <BookPreview changes={changes} />;
}
