import type { AuditRow } from "@tollgate/contract/endpoints/audit.ts";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { type DetailFact, readDetail } from "./audit-detail.ts";

/**
 * The details of an unfolded audit entry: values before and after the change, the entry's id, and a
 * warning if the entry fails the check of the log's hash chain.
 */
export function AuditDetails({ row }: { readonly row: AuditRow }) {
  const t = useT();
  const detail = readDetail(row.detail);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {!row.intact && <Banner tone="danger" title={t("audit.rowBrokenText", { id: row.id })} />}
      {detail.kind === "none" && <Muted>{t("audit.noDetail")}</Muted>}
      {detail.kind === "text" && (
        <code className="font-mono text-xs wrap-anywhere">{detail.text}</code>
      )}
      {detail.kind === "facts" && (
        <DescriptionList
          items={detail.facts.map((fact) => ({
            label: fact.name === "" ? t("audit.value") : fact.name,
            value: <Value fact={fact} />,
          }))}
        />
      )}
      <p className="text-xs tabular-nums">
        <Muted>{t("audit.rowId", { id: row.id })}</Muted>
      </p>
    </div>
  );
}

function Value({ fact: { before, after } }: { readonly fact: DetailFact }) {
  const t = useT();
  if (before === null) return <code className="font-mono text-xs">{after}</code>;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <del className="font-mono text-xs" aria-label={t("audit.before", { value: before })}>
        <Muted>{before}</Muted>
      </del>
      <span aria-hidden>→</span>
      <ins
        className="font-mono text-xs no-underline"
        aria-label={t("audit.after", { value: after })}
      >
        {after}
      </ins>
    </span>
  );
}
