import {
  type BalanceChange,
  type BalancePart,
  readBalanceChange,
} from "@tollgate/contract/endpoints/balance-changes.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import dayjs from "dayjs";
import { useState } from "react";
import { call } from "#api/call.ts";
import { showQuota } from "#display/quota.ts";
import { type T, useT } from "#i18n/t.ts";
import { Rows } from "#ui/chart/Rows.tsx";
import { Waterfall, type WaterfallStep } from "#ui/chart/Waterfall.tsx";
import { Link, type LinkTarget } from "#ui/controls/Link.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { entryKinds } from "#widgets/money/entry-look.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";

const spans = { yesterday: 1, week: 7, month: 30 } as const;
type Span = keyof typeof spans;
type By = "models" | "tokens";

const daySeconds = 86_400;

/** Why the balance is what it is: from what it was to what it is now, step by step. */
export function BalanceStory() {
  const t = useT();
  const [span, setSpan] = useState<Span>("yesterday");
  const [by, setBy] = useState<By>("models");
  const start_timestamp = dayjs().startOf("day").unix() - spans[span] * daySeconds;
  const { data, error, refetch } = useQuery({
    queryKey: ["self", "balance-change", start_timestamp],
    queryFn: async ({ signal }) =>
      await call(
        readBalanceChange,
        { start_timestamp, ahead: 0 - new Date().getTimezoneOffset() },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title={<Title data={data} />}
      actions={
        <span className="flex flex-wrap gap-2">
          <Segmented<Span>
            aria-label={t("entries.storySpan")}
            items={[
              { value: "yesterday", label: t("entries.storyYesterday") },
              { value: "week", label: t("entries.storyWeek") },
              { value: "month", label: t("entries.storyMonth") },
            ]}
            value={span}
            onChange={setSpan}
          />
          <Segmented<By>
            aria-label={t("entries.storyBy")}
            items={[
              { value: "models", label: t("entries.storyModels") },
              { value: "tokens", label: t("entries.storyTokens") },
            ]}
            value={by}
            onChange={setBy}
          />
        </span>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton height={240} />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Story data={data} by={by} />
      )}
    </Card>
  );
}

function Title({ data }: { readonly data: BalanceChange | undefined }) {
  const t = useT();
  const display = useQuotaDisplay();
  return (
    <h2>
      {t("entries.storyTitle", {
        balance: data === undefined ? "…" : showQuota(data.now, display),
      })}
    </h2>
  );
}

function Story({ data, by }: { readonly data: BalanceChange; readonly by: By }) {
  const t = useT();
  const display = useQuotaDisplay();
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Waterfall
        title={t("entries.storyTitle", { balance: showQuota(data.now, display) })}
        steps={stepsOf(data, by, t)}
        show={(amount) => showQuota(amount, display)}
      />
      <p>{forecastText(data, t, (quota) => showQuota(quota, display))}</p>
      {data.dearest.length > 0 && <Dearest data={data} />}
    </div>
  );
}

function stepsOf(data: BalanceChange, by: By, t: T): WaterfallStep[] {
  const time = { start: data.start, end: data.end };
  const parts = data[by].map((part) => ({
    id: `${by}-${part.id}-${part.name ?? "rest"}`,
    name: partName(part, by, t),
    amount: 0 - part.quota,
    target: linkOf(part, by, time),
  }));
  const later =
    data.later === 0
      ? []
      : [{ id: "later", name: t("entries.storyLater"), amount: 0 - data.later, target: null }];
  return [
    {
      id: "before",
      name: t("entries.storyBefore", { time: dayjs.unix(data.start).format("MM-DD HH:mm") }),
      total: data.before,
    },
    ...data.money.map(({ kind, amount }) => ({
      id: kind,
      name: t(entryKinds[kind]),
      amount,
      target: null,
    })),
    ...parts,
    ...later,
    { id: "now", name: t("entries.balanceNow"), total: data.now },
  ];
}

function partName({ id, name }: BalancePart, by: By, t: T): string {
  if (name === null) return t("entries.storyOthers");
  if (by === "models") return name === "" ? "–" : name;
  if (id === 0) return t("entries.storyNoToken");
  return name === "" ? `#${id}` : name;
}

/** The charged calls of a part in the log. */
function linkOf(
  { id, name }: BalancePart,
  by: By,
  time: { readonly start: number; readonly end: number },
): LinkTarget | null {
  if (name === null) return null;
  const type = String(logType.enum.consumption);
  const part = by === "models" ? { model_name: `=${name}` } : { token_id: String(id || -1) };
  return { to: "/log", search: { ...time, type, sort: "-quota", ...part } };
}

function forecastText(
  { forecast, now }: BalanceChange,
  t: T,
  show: (quota: number) => string,
): string {
  if (forecast === null) return t("entries.forecastNone");
  const week = show(forecast.week);
  if (forecast.empty_at === null) return t("entries.forecastLong", { week });
  if (now <= 0) return t("entries.forecastEmpty", { week });
  const day = dayjs.unix(forecast.empty_at).format("YYYY-MM-DD HH:mm");
  return t("entries.forecastDay", { week, day });
}

function Dearest({ data }: { readonly data: BalanceChange }) {
  const t = useT();
  const display = useQuotaDisplay();
  return (
    <section className="-mx-4 flex flex-col gap-1">
      <h3 className="px-4 text-sm">
        <Muted>{t("entries.storyDearest")}</Muted>
      </h3>
      <Rows ordered>
        {data.dearest.map(({ id, created_at, model_name, token_name, quota, request_id }) => (
          <div
            key={id}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 text-sm tabular-nums"
          >
            <Link
              to="/log"
              search={{ start: created_at, end: created_at, request_id, expanded: String(id) }}
            >
              <span className="font-medium">{showQuota(quota, display)}</span>
            </Link>
            <span className="min-w-0 truncate">{model_name}</span>
            <Muted>{token_name}</Muted>
            <span className="ml-auto">
              <Muted>{dayjs.unix(created_at).format("MM-DD HH:mm")}</Muted>
            </span>
          </div>
        ))}
      </Rows>
    </section>
  );
}
