import "./print.css";
import type { StatementLine } from "@tollgate/contract/endpoints/statements.ts";
import {
  receiptUsage,
  receiptValue,
  type StatementCheck,
  type StatementFault,
} from "@tollgate/contract/money/statement-check.ts";
import { Printer } from "lucide-react";
import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { showTimeExactly } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { BillingFormula } from "#widgets/money/BillingFormula.tsx";
import { chargeFormula } from "#widgets/money/charge-formula.ts";
import { EntryAmount, EntryKind } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { daysOf } from "./days.ts";

/** How many lines are shown at first, and with each press more. */
const linesAtOnce = 50;

/** How many wrong lines are named one by one. */
const faultsMax = 20;

/** What the check of a statement has found: the verdict, its days, and every line. */
export function CheckedStatement(props: { readonly name: string; readonly check: StatementCheck }) {
  const { name, check } = props;
  const { file, faults } = check;
  const t = useT();
  const [count, setCount] = useState(linesAtOnce);
  const wrong = useMemo(() => new Map(faults.map(({ seq, fault }) => [seq, fault])), [faults]);
  const days = useMemo(() => daysOf(file.lines), [file]);
  // Wrong lines first: they are what the reader looks for.
  const lines = useMemo(
    () => [
      ...file.lines.filter(({ seq }) => wrong.has(seq)),
      ...file.lines.filter(({ seq }) => !wrong.has(seq)),
    ],
    [file, wrong],
  );
  return (
    <section data-statement aria-label={name} className="mt-4 flex min-w-0 flex-col gap-4 text-sm">
      <Verdict check={check} />
      <p className="wrap-anywhere">
        {t("verify.head")} <code className="font-mono text-xs">{check.head}</code>
      </p>
      <Muted>{t("verify.headHelp")}</Muted>
      {days.length > 0 && (
        <PlainTable
          label={t("verify.days")}
          columns={[
            { key: "day", title: t("verify.day") },
            { key: "calls", title: t("verify.calls") },
            { key: "charged", title: t("verify.charged") },
            { key: "other", title: t("verify.other") },
          ]}
          rows={days.map(({ day, calls, charged, other }) => ({
            name: day,
            cells: [
              calls.toLocaleString("en-US"),
              <QuotaText key="charged" quota={charged} inFull />,
              <QuotaText key="other" quota={other} inFull />,
            ],
          }))}
        />
      )}
      <ol className="flex min-w-0 flex-col">
        {lines.slice(0, count).map((line) => (
          <Line key={line.seq} line={line} check={check} fault={wrong.get(line.seq)} />
        ))}
      </ol>
      <div className="flex flex-wrap gap-2 print:hidden">
        {count < lines.length && (
          <Button onClick={() => setCount(count + linesAtOnce)}>
            {t("verify.more", { count: lines.length - count })}
          </Button>
        )}
        <Button
          icon={<Printer size={16} aria-hidden />}
          onClick={() => {
            flushSync(() => setCount(lines.length));
            window.print();
          }}
        >
          {t("verify.print")}
        </Button>
      </div>
    </section>
  );
}

function Verdict({ check }: { readonly check: StatementCheck }) {
  const t = useT();
  const { file, faults, proven, auditOnly } = check;
  const more = faults.length - faultsMax;
  if (faults.length > 0) {
    return (
      <Banner tone="danger" title={t("verify.wrong", { count: faults.length })}>
        <ul className="mt-1">
          {faults.slice(0, faultsMax).map(({ seq, fault }) => (
            <li key={seq}>{t("verify.wrongLine", { line: seq, text: faultText(fault, t) })}</li>
          ))}
          {more > 0 && <li>{t("verify.wrongMore", { count: more })}</li>}
        </ul>
      </Banner>
    );
  }
  return (
    <Banner tone="success" title={t("verify.right", { count: file.lines.length })}>
      <p>{t("verify.proven", { count: proven })}</p>
      {auditOnly > 0 && <p>{t("verify.auditOnly", { count: auditOnly })}</p>}
    </Banner>
  );
}

function faultText(fault: StatementFault, t: T): string {
  switch (fault) {
    case "amount":
      return t("verify.faultAmount");
    case "balance":
      return t("verify.faultBalance");
    case "chain":
      return t("verify.faultChain");
    case "charge":
      return t("verify.faultCharge");
    case "order":
      return t("verify.faultOrder");
    case "receipt":
      return t("verify.faultReceipt");
  }
}

function Line(props: {
  readonly line: StatementLine;
  readonly check: StatementCheck;
  readonly fault: StatementFault | undefined;
}) {
  const { line, check, fault } = props;
  const t = useT();
  const model = line.receipt === null ? "" : String(receiptValue(line.receipt, "model_name"));
  return (
    <li className="flex min-w-0 flex-col gap-1 py-2">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Muted>{line.seq}</Muted>
        <span className="whitespace-nowrap tabular-nums">{showTimeExactly(line.created_at)}</span>
        <EntryKind kind={line.kind} />
        {model !== "" && <span className="min-w-0 wrap-anywhere">{model}</span>}
        <Mark line={line} fault={fault} />
        <span className="ml-auto flex gap-3">
          <EntryAmount entry={line} />
          <Muted>
            <QuotaText quota={line.balance_after} inFull />
          </Muted>
        </span>
      </span>
      {fault !== undefined && <span>{faultText(fault, t)}</span>}
      {line.receipt !== null && <Receipt receipt={line.receipt} check={check} />}
    </li>
  );
}

function Mark(props: { readonly line: StatementLine; readonly fault: StatementFault | undefined }) {
  const { line, fault } = props;
  const t = useT();
  if (fault !== undefined) return <Badge tone="danger">{t("verify.markWrong")}</Badge>;
  if (line.audit_only) return <Badge tone="neutral">{t("verify.markAudit")}</Badge>;
  return line.receipt === null ? null : <Badge tone="success">{t("verify.markProven")}</Badge>;
}

/** How a call was charged, with its numbers, and the texts that its hash covers. */
function Receipt(props: {
  readonly receipt: NonNullable<StatementLine["receipt"]>;
  readonly check: StatementCheck;
}) {
  const { receipt, check } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">{t("verify.receipt")}</summary>
      {open && (
        <div className="mt-2 flex min-w-0 flex-col gap-2">
          <Formula receipt={receipt} check={check} />
          <p className="wrap-anywhere">
            {t("verify.facts", {
              request: receiptValue(receipt, "request_id"),
              version: receiptValue(receipt, "price_version"),
              source: receiptValue(receipt, "usage_source"),
            })}
          </p>
          <p className="wrap-anywhere">
            {t("verify.hash")} <code className="font-mono text-xs">{receipt.row_hash}</code>
          </p>
        </div>
      )}
    </details>
  );
}

function Formula({ receipt, check }: Parameters<typeof Receipt>[0]) {
  const usage = receiptUsage(receipt);
  const found = receipt.prices === null ? undefined : check.file.prices[receipt.prices];
  if (usage === undefined || found === undefined) return null;
  const formula = chargeFormula({
    model: String(receiptValue(receipt, "model_name")),
    group: String(receiptValue(receipt, "group")),
    usage,
    prices: found.list,
    charged: Number(receiptValue(receipt, "quota")),
    writeOff: Number(receiptValue(receipt, "write_off")),
    isKept: true,
  });
  return formula === null ? null : <BillingFormula formula={formula} />;
}
