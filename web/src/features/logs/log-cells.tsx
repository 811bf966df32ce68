import type { ReactNode } from "react";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
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
