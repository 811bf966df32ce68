import {
  type ImportReport,
  importReport,
  importReportMax,
} from "@tollgate/contract/endpoints/imports.ts";
import { FileSearch } from "lucide-react";
import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { ImportRows, kindNames } from "./ImportRows.tsx";

/** Shows the report of a dry run, whose file is read in this browser and sent nowhere. */
export function ReportFile({ command }: { readonly command: string }) {
  const t = useT();
  const picker = useRef<HTMLInputElement>(null);
  const [report, setReport] = useState<ImportReport | "none" | "wrong">("none");
  async function read(file: File): Promise<void> {
    const text = file.size > importReportMax ? "" : await file.text();
    setReport(parseReport(text) ?? "wrong");
  }
  return (
    <Section title={t("imports.reportTitle")} description={t("imports.reportText", { command })}>
      <input
        ref={picker}
        type="file"
        hidden
        data-import-report
        accept=".json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file !== undefined) void read(file);
        }}
      />
      <span>
        <Button icon={<FileSearch size={16} aria-hidden />} onClick={() => picker.current?.click()}>
          {t("imports.reportOpen")}
        </Button>
      </span>
      {report === "wrong" && <Banner tone="danger" title={t("imports.reportWrong")} />}
      {typeof report !== "string" && <Report report={report} />}
    </Section>
  );
}

function parseReport(text: string): ImportReport | undefined {
  try {
    return importReport.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** How many rows of a list are shown. */
const shownMax = 200;

function Report({ report }: { readonly report: ImportReport }) {
  const t = useT();
  const { rows, sums, changes, faults, unplaced, seconds, prices } = report;
  const time = t(report.dryRun ? "imports.willTake" : "imports.took", { seconds });
  return (
    <>
      <p className="text-sm wrap-anywhere">{`${report.from} · ${report.source} · ${time}`}</p>
      <ImportRows rows={rows} of={t("imports.reportTitle")} />
      <DescriptionList
        items={[
          { label: t("imports.balances"), value: <QuotaText quota={sums.balance} inFull /> },
          { label: t("imports.debts"), value: <QuotaText quota={sums.debt} inFull /> },
          { label: t("imports.usedBefore"), value: <QuotaText quota={sums.used} inFull /> },
          { label: t("imports.ofTokens"), value: <QuotaText quota={sums.tokenRemain} inFull /> },
          { label: t("imports.ofCodes"), value: <QuotaText quota={sums.codes} inFull /> },
          { label: t("imports.prices"), value: prices.toLocaleString("en-US") },
        ]}
        columns={2}
      />
      <Notes title={t("imports.changes")} notes={changes} />
      <Notes title={t("imports.faults")} notes={faults} />
      {unplaced.length > 0 && (
        <PlainTable
          label={t("imports.unplaced")}
          columns={[
            { key: "what", title: t("imports.unplaced") },
            { key: "rows", title: t("imports.rows") },
            { key: "examples", title: t("imports.examples") },
          ]}
          rows={unplaced.map(({ table, column, rows: count, examples }) => ({
            name: column === "" ? table : `${table}.${column}`,
            cells: [count.toLocaleString("en-US"), examples.join(" ")],
          }))}
        />
      )}
    </>
  );
}

/** Rows that come otherwise, or not at all; the sentences are the command's own. */
function Notes({
  title,
  notes,
}: {
  readonly title: string;
  readonly notes: ImportReport["faults"];
}) {
  const t = useT();
  if (notes.length === 0) return null;
  const more = notes.length - shownMax;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-sm font-medium">{`${title} (${notes.length.toLocaleString("en-US")})`}</h3>
      <ul className="max-h-80 overflow-y-auto text-sm break-words" tabIndex={0} aria-label={title}>
        {notes.slice(0, shownMax).map(({ kind, id, what }, place) => (
          <li key={`${kind} ${id} ${place}`}>{`${t(kindNames[kind])} ${id}: ${what}`}</li>
        ))}
        {more > 0 && <li>{t("imports.more", { more: more.toLocaleString("en-US") })}</li>}
      </ul>
    </div>
  );
}
