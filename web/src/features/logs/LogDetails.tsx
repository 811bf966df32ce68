/**
 * The details of an unfolded log row: how its charge was computed, and everything else that was
 * logged.
 */

import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { type ShownAs, shownLogFields } from "@tollgate/contract/logs/fields.ts";
import { ScrollText } from "lucide-react";
import type { ReactNode } from "react";
import { showTime } from "#display/time.ts";
import { logFieldKey } from "#i18n/kind-keys.ts";
import { type T, type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { BillingFormula } from "#widgets/money/BillingFormula.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { conversationFacts } from "./conversation-facts.tsx";
import { describeLog } from "./describe-log.ts";
import { isCall } from "./log-type.ts";
import { formulaOf } from "./log-formula.ts";
import type { LogView } from "./log-view.ts";
import { useLogCharge } from "./log-charge.api.ts";
import { RetryPath } from "./RetryPath.tsx";

export function LogDetails(props: {
  row: LogView;
  isRoot: boolean;
  /** Opens the texts of the call; absent: the page does not show texts. */
  onTexts?: ((row: LogView) => void) | undefined;
}) {
  const { row, isRoot, onTexts } = props;
  const t = useT();
  return (
    <div className="grid min-w-0 gap-x-10 gap-y-5 @3xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        {row.type === logType.enum.failure ? <Failure row={row} /> : <Text row={row} />}
        {row.type === logType.enum.consumption && (
          <Part title={t("logs.billing")} after={<Version row={row} />}>
            <Charge row={row} />
          </Part>
        )}
      </div>
      {isCall(row) && (
        <Part title={t("logs.facts")}>
          <DescriptionList items={factsOf(row, isRoot, t)} />
          {onTexts !== undefined && (
            <div>
              <Button
                size="sm"
                icon={<ScrollText size={14} aria-hidden />}
                onClick={() => onTexts(row)}
              >
                {t("logs.texts")}
              </Button>
            </div>
          )}
        </Part>
      )}
    </div>
  );
}

function Part(props: { title: string; after?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2" aria-label={props.title}>
      <h2 className="flex flex-wrap items-center gap-2 font-medium">
        {props.title}
        {props.after}
      </h2>
      {props.children}
    </section>
  );
}

/** The text of a row that is not about a call. Rows about calls show figures instead. */
function Text({ row }: { row: LogView }) {
  const t = useT();
  if (isCall(row)) return null;
  return <p className="break-words">{describeLog(row, t)}</p>;
}

function Failure({ row }: { row: LogView }) {
  const t = useT();
  const { status_code: status, error_type: type, error_code: code } = row.details;
  const marks = [status, code, type].filter((mark) => mark !== undefined && mark !== null);
  return (
    <Banner tone="danger" title={t("logs.failed")}>
      <span className="flex flex-col gap-1">
        <span className="break-words">{describeLog(row, t)}</span>
        {marks.length > 0 && <code className="font-mono text-xs">{marks.join(" · ")}</code>}
      </span>
    </Banner>
  );
}

function Version({ row }: { row: LogView }) {
  const t = useT();
  return row.price_version === 0 ? null : (
    <Badge tone="neutral">{t("logs.priceVersion", { id: row.price_version })}</Badge>
  );
}

function Charge({ row }: { row: LogView }) {
  const t = useT();
  const kept = useLogCharge(row.id);
  const quotaPerUnit = useStatus()?.quota_per_unit;
  if (kept.data === undefined || quotaPerUnit === undefined) {
    return kept.error === null ? (
      <Skeleton />
    ) : (
      <ErrorState error={kept.error} onRetry={() => void kept.refetch()} />
    );
  }
  const formula = formulaOf(row, kept.data, quotaPerUnit);
  return (
    <>
      {formula === null ? (
        <Muted>{t("logs.noFormula")}</Muted>
      ) : (
        <BillingFormula formula={formula} />
      )}
      <Rerates rerates={kept.data.rerates} />
    </>
  );
}

/** How the call was charged again since: both charges, and why. */
function Rerates({ rerates }: { readonly rerates: LogCharge["rerates"] }) {
  const t = useT();
  if (rerates.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-sm" aria-label={t("logs.rerates")}>
      {rerates.map(({ rerate, at, before, after, version, notice }) => (
        <li key={`${at} ${rerate}`} className="wrap-anywhere">
          {showTime(at, "–")} {causeOf(rerate, version, t)}
          {t("logs.rerateFrom")} <QuotaText quota={before} inFull /> →{" "}
          <QuotaText quota={after} inFull />
          {notice !== "" && <Muted> {notice}</Muted>}
        </li>
      ))}
    </ul>
  );
}

function causeOf(rerate: number, version: number, t: T): string {
  if (rerate === 0) return t("logs.rerateDropped");
  if (version === 0) return t("logs.rerateUndone", { id: rerate });
  return t("logs.rerateBy", { id: rerate, version });
}

type Fact = { readonly label: string; readonly value: ReactNode };

function factsOf(row: LogView, isRoot: boolean, t: T): Fact[] {
  const { details, losses } = row;
  const facts: (Fact | false)[] = [
    ...shownLogFields.map(({ name, shown }) => shownFact(row[name], shown, t(logFieldKey(name)))),
    details.client_ip !== undefined && {
      label: t("logs.clientIp"),
      value: <CopyCell text={details.client_ip} label={t("logs.clientIp")} />,
    },
    details.upstream_model_name !== undefined && {
      label: t("logs.upstreamModel"),
      value: <CopyCell text={details.upstream_model_name} label={t("logs.upstreamModel")} />,
    },
    row.tags.length > 0 && {
      label: t("logs.tags"),
      value: (
        <span className="flex flex-wrap gap-1">
          {row.tags.map((tag) => (
            <Badge key={tag} tone="neutral">
              <bdi>{tag}</bdi>
            </Badge>
          ))}
        </span>
      ),
    },
    ...conversationFacts(row, isRoot, t),
    row.usage_source !== "" && { label: t("logs.source"), value: <Source row={row} /> },
    losses.length > 0 && {
      label: t("logs.losses"),
      value: (
        <span className="flex flex-wrap gap-1">
          {losses.map((name) => (
            <Badge key={name} tone="warning">
              {name}
            </Badge>
          ))}
        </span>
      ),
    },
    row.reversed && { label: t("logs.reversed"), value: <Muted>{t("logs.reversedText")}</Muted> },
    isRoot && {
      label: t("logs.retryPath"),
      value: <RetryPath channels={details.admin_info?.use_channel ?? []} chips />,
    },
    details.admin_info?.fault !== undefined && {
      label: t("logs.fault"),
      value: showMessage(details.admin_info.fault, t),
    },
    row.type === logType.enum.consumption && {
      label: t("logs.details"),
      value: describeLog(row, t),
    },
  ];
  return facts.filter((fact) => fact !== false);
}

/** Shows a field of the row, in the form that its entry names; false: it is blank. */
function shownFact(value: number | string, shown: ShownAs, label: string): Fact | false {
  if (value === "" || value === 0) return false;
  if (shown === "quota") return { label, value: <QuotaText quota={Number(value)} /> };
  const text = String(value);
  return { label, value: shown === "copy" ? <CopyCell text={text} label={label} /> : text };
}

/** Why the upstream's counts were not believed. Reasons with numbers are shown as they are. */
const usageDoubts: ReadonlyMap<string, TextKey> = new Map([
  ["the upstream did not tell the prompt", "logs.doubtPrompt"],
  ["more or less output than bytes came", "logs.doubtOutput"],
  ["more tokens than the call can have", "logs.doubtTooMany"],
  ["usage object too long", "logs.doubtTooLong"],
  ["neither the prompt nor all output was told", "logs.doubtNeither"],
]);

/** Says where the token counts come from and, if they are not the upstream's, why. */
function Source({ row }: { row: LogView }) {
  const t = useT();
  const doubt = row.details.usage_doubt;
  const known = usageDoubts.get(doubt ?? "");
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {row.usage_source === "upstream" && <Badge tone="neutral">{t("logs.sourceUpstream")}</Badge>}
      {row.usage_source === "upstream+seen" && <Badge tone="info">{t("logs.sourceSeen")}</Badge>}
      {row.usage_source === "local" && <Badge tone="info">{t("logs.sourceLocal")}</Badge>}
      {row.usage_source === "suspect" && <Badge tone="warning">{t("logs.sourceSuspect")}</Badge>}
      {row.usage_source === "upstream+seen" && (
        <Muted>{t("logs.sourceSeenText", { count: row.seen_output })}</Muted>
      )}
      {row.usage_source === "local" && <Muted>{t("logs.sourceLocalText")}</Muted>}
      {row.usage_source === "suspect" && <Muted>{t("logs.sourceSuspectText")}</Muted>}
      {row.details.hidden_output === true && <Muted>{t("logs.hiddenOutput")}</Muted>}
      {doubt !== undefined && known !== undefined && <Muted>{t(known)}</Muted>}
      {doubt !== undefined && known === undefined && (
        <code className="font-mono text-xs wrap-anywhere">{doubt}</code>
      )}
    </span>
  );
}
