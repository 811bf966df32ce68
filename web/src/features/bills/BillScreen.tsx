import {
  type BillColumn,
  billColumn,
  type BillKind,
  billKind,
  billQuestion,
  billTextMax,
} from "@tollgate/contract/endpoints/bills.ts";
import { FileUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import type { Pairs } from "#ui/form/field-types.ts";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { BillResultView } from "./BillResult.tsx";
import { type BillQuestion, useChannelNames, useCompareBill } from "./bills.api.ts";

type BillForm = {
  readonly kind: string;
  readonly zone: string;
  readonly places: number | null;
  readonly channels: readonly string[];
  readonly keys: Pairs;
  readonly columns: Pairs;
};

const F = fieldsOf<BillForm>();

type ChosenFile = { readonly name: string; readonly text: string };

/** `/bill`, for root: the usage file of an upstream, laid beside the calls of its channels. */
export function BillScreen() {
  const t = useT();
  const [file, setFile] = useState<ChosenFile | null>(null);
  const { mutateAsync: compare, data } = useCompareBill();
  const schema = useMemo(() => schemaOf(t, file !== null), [t, file]);
  return (
    <Page>
      <PageHeader title={t("bills.title")} description={t("bills.description")} />
      <Card>
        <PlainForm<BillForm, BillQuestion>
          schema={schema}
          values={{
            kind: "openai",
            zone: "UTC",
            places: 6,
            channels: [],
            keys: [],
            columns: billColumn.options.map((name) => [name, ""] as const),
          }}
          submitLabel={t("bills.compare")}
          onSubmit={async (question) => await compare({ text: file?.text ?? "", question })}
        >
          <FilePicker file={file} onFile={setFile} />
          <Form />
        </PlainForm>
      </Card>
      {data !== undefined && <BillResultView result={data} />}
    </Page>
  );
}

function FilePicker(props: {
  readonly file: ChosenFile | null;
  readonly onFile: (file: ChosenFile) => void;
}) {
  const { file, onFile } = props;
  const t = useT();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-3">
      <input
        ref={picker}
        type="file"
        hidden
        data-bill-file
        accept=".csv,.tsv,.txt,text/csv"
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          event.target.value = "";
          // A file that is too long is cut one character beyond the limit, which is then reported.
          void chosen
            ?.slice(0, 4 * billTextMax)
            .text()
            .then((text) => onFile({ name: chosen.name, text: text.slice(0, billTextMax + 1) }));
        }}
      />
      <Button icon={<FileUp size={16} aria-hidden />} onClick={() => picker.current?.click()}>
        {t("bills.choose")}
      </Button>
      <span className="min-w-0 text-sm wrap-anywhere">
        {file === null ? <Muted>{t("bills.noFile")}</Muted> : file.name}
      </span>
    </div>
  );
}

function Form() {
  const t = useT();
  const kind = F.useValue("kind");
  const { data: channels = [] } = useChannelNames();
  const items = channels.map(({ id, name }) => ({ value: String(id), label: `${name} #${id}` }));
  return (
    <>
      <F.Select
        name="kind"
        label={t("bills.kind")}
        items={billKind.options.map((value) => ({ value, label: kindName(value, t) }))}
      />
      {kind === "csv" && (
        <F.KeyValue
          name="columns"
          label={t("bills.columns")}
          help={t("bills.columnsHelp")}
          keyLabel={t("bills.meaning")}
          valueLabel={t("bills.heading")}
          keyItems={billColumn.options.map((value) => ({ value, label: columnName(value, t) }))}
        />
      )}
      <F.Text name="zone" label={t("bills.zone")} help={t("bills.zoneHelp")} required />
      <F.Number
        name="places"
        label={t("bills.places")}
        help={t("bills.placesHelp")}
        min={0}
        max={12}
      />
      <F.MultiCombobox
        name="channels"
        label={t("bills.channels")}
        help={t("bills.channelsHelp")}
        items={items}
      />
      <F.KeyValue
        name="keys"
        label={t("bills.keys")}
        help={t("bills.keysHelp")}
        keyLabel={t("bills.key")}
        valueLabel={t("bills.channel")}
        valueItems={items}
      />
    </>
  );
}

function kindName(kind: BillKind, t: T): string {
  switch (kind) {
    case "anthropic":
      return "Anthropic";
    case "csv":
      return t("bills.kindCsv");
    case "new-api":
      return "new-api";
    case "openai":
      return "OpenAI";
    case "openrouter":
      return "OpenRouter";
  }
}

function columnName(column: BillColumn, t: T): string {
  const names: Readonly<Record<BillColumn, string>> = {
    time: t("bills.time"),
    model: t("bills.model"),
    key: t("bills.key"),
    id: t("bills.id"),
    input: t("bills.input"),
    output: t("bills.output"),
    calls: t("bills.calls"),
    amount: t("bills.amount"),
  };
  return names[column];
}

/** @param hasFile whether a file was chosen. */
function schemaOf(t: T, hasFile: boolean) {
  return z.custom<BillForm>().transform((form, context): BillQuestion => {
    if (!hasFile) context.addIssue({ code: "custom", path: [], message: t("bills.noFile") });
    const read = billQuestion.safeParse({
      kind: form.kind,
      zone: form.zone,
      places: form.places ?? 0,
      channels: form.channels.map(Number),
      keys: Object.fromEntries(form.keys.map(([key, channel]) => [key, Number(channel)])),
      columns: Object.fromEntries(form.columns.filter(([, heading]) => heading.trim() !== "")),
    });
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) {
      const [field] = path;
      const at = typeof field === "string" ? [field] : [];
      context.addIssue({ code: "custom", path: at, message: showMessage(message, t) });
    }
    return z.NEVER;
  });
}
