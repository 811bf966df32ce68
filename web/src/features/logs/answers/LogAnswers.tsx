import { type ChartMeasure, chartParts } from "@tollgate/contract/endpoints/log-answers.ts";
import { ChartColumn, ChevronUp, OctagonAlert, Table } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Card } from "#ui/layout/Card.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import type { LogInput } from "#features/logs/logs.api.ts";
import type { AnswerView, LogSearch } from "#features/logs/logs.search.ts";
import { FailureGroups } from "./FailureGroups.tsx";
import { LogBars } from "./LogBars.tsx";

/**
 * What stands above the list of the log: a chart of the same rows, its figures as a table, or the
 * failed calls by reason.
 */
export function LogAnswers(props: {
  readonly input: LogInput;
  readonly search: LogSearch;
  readonly view: Exclude<AnswerView, "none">;
  readonly onSearch: SetListSearch<LogSearch>;
  readonly isAdmin: boolean;
  /** Whether the live tail is on. */
  readonly live: boolean;
}) {
  const { input, search, view, onSearch, isAdmin, live } = props;
  const t = useT();
  const { measure, by } = search;
  const set = (patch: Partial<LogSearch>): void => onSearch(patch, { replace: true });
  return (
    <Card
      title={
        view === "errors" ? (
          <h2>{t("logAnswers.errorsTitle")}</h2>
        ) : (
          <Segmented<ChartMeasure>
            aria-label={t("logAnswers.measure")}
            items={measureItems(t)}
            value={measure}
            onChange={(next) => set({ measure: next })}
          />
        )
      }
      actions={
        <>
          {view !== "errors" && measure !== "first_byte" && (
            <div className="w-32">
              <Select<LogSearch["by"]>
                aria-label={t("logAnswers.by")}
                size="sm"
                items={partItems(t, isAdmin)}
                value={by}
                onChange={(next) => set({ by: next })}
              />
            </div>
          )}
          <Segmented<Exclude<AnswerView, "none">>
            aria-label={t("logAnswers.view")}
            items={viewItems(t)}
            value={view}
            onChange={(next) => set({ answer: next })}
          />
          <IconButton
            label={t("logAnswers.hide")}
            icon={<ChevronUp size={16} aria-hidden />}
            onClick={() => set({ answer: "none" })}
          />
        </>
      }
    >
      {view === "errors" ? (
        <FailureGroups input={input} onSearch={onSearch} isAdmin={isAdmin} live={live} />
      ) : (
        <LogBars input={input} search={search} view={view} onSearch={onSearch} live={live} />
      )}
    </Card>
  );
}

function measureItems(t: T) {
  return [
    { value: "quota", label: t("logAnswers.cost") },
    { value: "calls", label: t("logAnswers.calls") },
    { value: "failures", label: t("logAnswers.errors") },
    { value: "first_byte", label: t("logAnswers.firstByte") },
  ] as const;
}

function partItems(t: T, isAdmin: boolean) {
  const names = {
    model: t("logAnswers.byModel"),
    token: t("logAnswers.byToken"),
    user: t("logAnswers.byUser"),
    channel: t("logAnswers.byChannel"),
    group: t("logAnswers.byGroup"),
    reason: t("logAnswers.byReason"),
  };
  return chartParts
    .filter((part) => isAdmin || (part !== "user" && part !== "channel"))
    .map((part) => ({ value: part, label: names[part] }));
}

function viewItems(t: T) {
  return [
    {
      value: "chart",
      label: t("logAnswers.chart"),
      icon: <ChartColumn size={14} aria-hidden />,
    },
    {
      value: "table",
      label: t("logAnswers.table"),
      icon: <Table size={14} aria-hidden />,
    },
    {
      value: "errors",
      label: t("logAnswers.reasons"),
      icon: <OctagonAlert size={14} aria-hidden />,
    },
  ] as const;
}
