import type { BillFindingKind, BillResult, BillSums } from "@tollgate/contract/endpoints/bills.ts";
import { FileDown } from "lucide-react";
import { useEffect, useRef } from "react";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { byteOrderMark } from "#ui/table/tools/csv.ts";
import { showMessage } from "#widgets/server/server-message.ts";

/** How many rows, findings and wrong lines are shown; the CSV file has all. */
const shownMax = 100;
const faultsShown = 8;

/** What a bill and the ledger say: sums, gaps, and the calls that explain them. */
export function BillResultView({ result }: { readonly result: BillResult }) {
  const t = useT();
  const { bill, here, rows, findings, faults, faults_total } = result;
  const isEven = bill.input === here.input && bill.output === here.output;
  const place = useRef<HTMLDivElement>(null);
  // The form above it is higher than a window.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "start" });
  }, [result]);
  return (
    <Card>
      <div ref={place} className="flex min-w-0 scroll-my-9 flex-col gap-4" role="status">
        <Banner
          tone={isEven && findings.length === 0 ? "success" : "warning"}
          title={
            isEven && findings.length === 0
              ? t("bills.even")
              : t("bills.found", { count: result.findings_total })
          }
        >
          {t("bills.span", {
            start: showTime(result.start, "–"),
            end: showTime(result.end, "–"),
            zone: result.zone,
            places: result.places,
          })}
        </Banner>
        <FigureGrid
          figures={[
            figure(t("bills.billSide"), bill, t("bills.lines", { count: result.lines }), t),
            figure(t("bills.hereSide"), here, t("bills.callCount", { count: result.calls }), t),
            {
              name: t("bills.gap"),
              value: signed(bill.input - here.input + bill.output - here.output),
              note: t("bills.tokens"),
            },
          ]}
        />
        {faults.length > 0 && (
          <Banner tone="danger" title={t("bills.faults", { count: faults_total })}>
            <ul className="mt-1">
              {faults.slice(0, faultsShown).map(({ line, message }) => (
                <li key={line}>{t("bills.fault", { line, text: showMessage(message, t) })}</li>
              ))}
            </ul>
          </Banner>
        )}
        <span>
          <Button
            icon={<FileDown size={16} aria-hidden />}
            onClick={() => saveFile(csvOf(result.csv), "bill-comparison.csv")}
          >
            {t("bills.csv")}
          </Button>
        </span>
        {findings.length > 0 && <Findings result={result} />}
        <Sums result={result} />
        {rows.length > shownMax && <Muted>{t("bills.rest")}</Muted>}
      </div>
    </Card>
  );
}

function csvOf(text: string): Blob {
  return new Blob([byteOrderMark, text], { type: "text/csv;charset=utf-8" });
}

function figure(name: string, side: BillSums, note: string, t: T) {
  const money = side.dollars === null ? "" : ` · $${side.dollars}`;
  const value = `${whole(side.input)} + ${whole(side.output)}`;
  return { name, value, note: `${note} · ${t("bills.tokens")}${money}` };
}

function Findings({ result: { findings } }: { readonly result: BillResult }) {
  const t = useT();
  return (
    <PlainTable
      label={t("bills.findings")}
      columns={[
        { key: "what", title: t("bills.what") },
        { key: "time", title: t("bills.time") },
        { key: "model", title: t("bills.model") },
        { key: "line", title: t("bills.line") },
        { key: "bill", title: t("bills.billSide") },
        { key: "here", title: t("bills.hereSide") },
        { key: "call", title: t("bills.call") },
      ]}
      rows={findings.slice(0, shownMax).map((of, at) => ({
        // Numbered, because the names of rows are their keys.
        name: `${at + 1}. ${findingName(of.kind, t)}`,
        cells: [
          showTime(of.at, "–"),
          of.model,
          of.line === 0 ? "–" : of.line,
          of.bill === null ? "–" : `${whole(of.bill.input)} + ${whole(of.bill.output)}`,
          of.here === null ? "–" : `${whole(of.here.input)} + ${whole(of.here.output)}`,
          of.request_id || "–",
        ],
      }))}
    />
  );
}

function findingName(kind: BillFindingKind, t: T): string {
  switch (kind) {
    case "missing-here":
      return t("bills.missingHere");
    case "missing-there":
      return t("bills.missingThere");
    case "other-counts":
      return t("bills.otherCounts");
    case "own-count":
      return t("bills.ownCount");
  }
}

function Sums({ result: { rows } }: { readonly result: BillResult }) {
  const t = useT();
  return (
    <PlainTable
      label={t("bills.sums")}
      columns={[
        { key: "day", title: t("bills.day") },
        { key: "calls", title: t("bills.calls") },
        { key: "input", title: t("bills.input") },
        { key: "output", title: t("bills.output") },
        { key: "gap", title: t("bills.gap") },
        { key: "amount", title: t("bills.amount") },
      ]}
      rows={rows.slice(0, shownMax).map(({ day, model, key_name, bill, here }) => ({
        name: [day, model, key_name].filter((part) => part !== "").join(" · "),
        cells: [
          `${bill.calls ?? "–"} / ${here.calls ?? "–"}`,
          `${whole(bill.input)} / ${whole(here.input)}`,
          `${whole(bill.output)} / ${whole(here.output)}`,
          signed(bill.input - here.input + bill.output - here.output),
          `${bill.dollars ?? "–"} / ${here.dollars ?? "–"}`,
        ],
      }))}
    />
  );
}

function whole(count: number): string {
  return count.toLocaleString("en-US");
}

function signed(count: number): string {
  return `${count > 0 ? "+" : ""}${whole(count)}`;
}
