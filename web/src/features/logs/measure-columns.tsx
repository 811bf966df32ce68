/** The columns of the log with what was measured of a call: its duration and its tokens. */

import { Radio } from "lucide-react";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { None } from "./log-cells.tsx";
import { hasCounts } from "./log-type.ts";
import {
  durationTone,
  firstByteMs,
  firstByteTone,
  type LogView,
  showDuration,
} from "./log-view.ts";

type LogColumn = Column<LogView>;

/**
 * Makes the column with the call's duration, the time to the first byte of a streamed answer, and
 * whether it was streamed.
 */
export function durationColumn(t: T): LogColumn {
  return {
    id: "use_time",
    title: t("logs.duration"),
    sort: true,
    rank: 3,
    width: 124,
    card: "fact",
    brief: (row) => (hasCounts(row) ? showDuration(row.use_time * 1_000, t) : null),
    has: hasCounts,
    csv: (row) => {
      const first = firstByteMs(row);
      return first === undefined ? `${row.use_time}` : `${row.use_time} / ${first / 1_000}`;
    },
    cell: (row) => {
      if (!hasCounts(row)) return <None />;
      const first = firstByteMs(row);
      return (
        <span className="inline-flex items-center gap-1 tabular-nums">
          <Badge tone={durationTone(row.use_time)}>{showDuration(row.use_time * 1_000, t)}</Badge>
          {first !== undefined && (
            <Tip text={t("logs.firstByteTip")}>
              <Badge tone={firstByteTone(first)}>{showDuration(first, t)}</Badge>
            </Tip>
          )}
          {row.is_stream && (
            <Tip text={t("logs.stream")}>
              <Muted>
                <Radio size={14} role="img" aria-label={t("logs.stream")} />
              </Muted>
            </Tip>
          )}
        </span>
      );
    },
  };
}

/** Makes the column of the time to the first byte, which is hidden: the duration shows it as well. */
export function firstByteColumn(t: T): LogColumn {
  return {
    id: "first_byte",
    title: t("logs.firstByte"),
    sort: true,
    hidden: true,
    rank: 4,
    width: 84,
    align: "right",
    has: (row) => firstByteMs(row) !== undefined,
    csv: (row) => String(firstByteMs(row) ?? ""),
    cell: (row) => {
      const first = firstByteMs(row);
      return first === undefined ? <None /> : showDuration(first, t);
    },
  };
}

export function tokenCountColumns(t: T): readonly LogColumn[] {
  const count = (value: number): string => value.toLocaleString("en-US");
  return [
    {
      id: "prompt_tokens",
      title: t("logs.input"),
      sort: true,
      rank: 2,
      width: 76,
      align: "right",
      card: "fact",
      brief: (row) =>
        hasCounts(row) ? `${count(row.prompt_tokens)}→${count(row.completion_tokens)}` : null,
      has: hasCounts,
      csv: (row) => String(row.prompt_tokens),
      cell: (row) => {
        if (!hasCounts(row)) return <None />;
        const cached = row.details.cache_tokens ?? 0;
        return (
          <span className="flex flex-col items-end leading-tight tabular-nums">
            {count(row.prompt_tokens)}
            {cached > 0 && (
              <span className="text-xs whitespace-nowrap">
                <Muted>{t("logs.cached", { tokens: count(cached) })}</Muted>
              </span>
            )}
          </span>
        );
      },
    },
    {
      id: "completion_tokens",
      title: t("logs.output"),
      sort: true,
      rank: 2,
      width: 70,
      align: "right",
      has: hasCounts,
      csv: (row) => String(row.completion_tokens),
      cell: (row) => (hasCounts(row) ? count(row.completion_tokens) : <None />),
    },
  ];
}
