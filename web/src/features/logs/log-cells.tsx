import type { ReactNode } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { describeLog, describeShort } from "./describe-log.ts";
import type { LogView } from "./log-view.ts";

/** A cell with a value and, below it, a less important one. */
export function TwoLines({ above, below }: { above: ReactNode; below: string }) {
  return (
    <span className="flex max-w-28 min-w-0 flex-col items-start leading-tight">
      {above}
      {below !== "" && (
        <span className="max-w-full text-xs">
          <Muted>
            <CutText>{below}</CutText>
          </Muted>
        </span>
      )}
    </span>
  );
}

/** A dash, for cells without a value. */
export function None() {
  return <Muted>–</Muted>;
}

/** Shows what is unusual about a call as badges, followed by the row's text. */
export function DetailsCell({ row, t }: { readonly row: LogView; readonly t: T }) {
  const text = describeShort(row, t);
  const { usage_source: source, losses, details } = row;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {details.status_code !== undefined && (
        <Badge tone="danger">{String(details.status_code)}</Badge>
      )}
      {source === "suspect" && <Badge tone="warning">{t("logs.sourceSuspect")}</Badge>}
      {source === "upstream+seen" && <Badge tone="info">{t("logs.sourceSeen")}</Badge>}
      {source === "local" && <Badge tone="info">{t("logs.sourceLocal")}</Badge>}
      {losses.length > 0 && (
        <Badge tone="warning">{t("logs.lossesCount", { count: losses.length })}</Badge>
      )}
      {text !== "" && <CutText tip={describeLog(row, t)}>{text}</CutText>}
    </span>
  );
}

/** Why a call failed, below its model. */
export function Reason({ row, t }: { readonly row: LogView; readonly t: T }) {
  const text = describeShort(row, t);
  if (text === "") return null;
  return (
    <span className="text-xs">
      <Toned tone="danger">
        <CutText>{text}</CutText>
      </Toned>
    </span>
  );
}

/** Both charges of a call that was charged again. */
export function Rerated({ row }: { readonly row: Pick<LogView, "quota" | "rerated"> }) {
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-1.5">
      <s>
        <QuotaText quota={row.quota} />
      </s>
      <QuotaText quota={row.quota + row.rerated} />
    </span>
  );
}

const ofCalls = ["use_time", "prompt_tokens", "completion_tokens"] as const;

/** The columns whose room the text of a row takes that is no call; an amount keeps its place. */
export function columnsOver({ model_name: model, quota }: LogView): readonly string[] {
  if (model !== "") return [];
  return quota === 0 ? [...ofCalls, "quota", "content"] : ofCalls;
}

/** A value that is also a button: a click filters the list by it. */
export function FilterValue(props: {
  value: string;
  /** The text to show if it differs from the value to filter by. */
  label?: string;
  /** Where a text that is too long is cut; by default at its end. */
  at?: "middle";
  onSelect: () => void;
}) {
  const { value, label = value, at, onSelect } = props;
  const t = useT();
  return (
    <button
      type="button"
      dir="auto"
      className="block max-w-full cursor-pointer truncate text-left underline-offset-3 hover:underline max-md:min-h-8 max-md:min-w-8"
      title={t("logs.onlyThis", { value: label })}
      onClick={onSelect}
    >
      {at === "middle" ? <MiddleText>{label}</MiddleText> : label}
    </button>
  );
}
