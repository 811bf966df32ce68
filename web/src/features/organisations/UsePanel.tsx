import type { OrganisationUse } from "@tollgate/contract/endpoints/organisations.ts";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useOrganisationUse } from "./organisations.api.ts";

/** What the calls of the last thirty days were charged. */
export function UsePanel({ id }: { readonly id: number }) {
  const t = useT();
  const { data, error, refetch } = useOrganisationUse(id);
  if (data === undefined) {
    if (error === null) return <Skeleton height={160} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  if (data.request_count === 0) return <Muted>{t("organisations.useNone")}</Muted>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        {t("organisations.useTotal", { count: data.request_count })}{" "}
        <QuotaText quota={data.quota} />
      </p>
      <div className="grid grid-cols-2 gap-x-8 gap-y-4 max-md:grid-cols-1">
        <Sums title={t("organisations.byProject")} total={data.quota} rows={projectsOf(data)} />
        <Sums
          title={t("organisations.byPerson")}
          total={data.quota}
          rows={data.people.map(({ user_id, username, quota }) => ({
            name: user_id === 0 ? t("organisations.service") : username,
            quota,
          }))}
        />
        <Sums
          title={t("organisations.byModel")}
          total={data.quota}
          rows={data.models.map(({ model_name, quota }) => ({ name: model_name, quota }))}
        />
        <Sums
          title={t("organisations.byDay")}
          total={data.quota}
          rows={data.days.map(({ start, quota }) => ({ name: utcDay(start), quota }))}
        />
      </div>
    </div>
  );
}

function projectsOf({ projects }: OrganisationUse): readonly Sum[] {
  return projects.map(({ name, quota }) => ({ name, quota }));
}

function utcDay(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

type Sum = { readonly name: string; readonly quota: number };

/** Rows with a bar each, whose length is the row's part of all. */
function Sums(props: {
  readonly title: ReactNode;
  readonly total: number;
  readonly rows: readonly Sum[];
}) {
  const { title, total, rows } = props;
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-sm font-medium">{title}</h3>
      <ul className="flex flex-col gap-1.5 text-sm">
        {rows.map(({ name, quota }) => (
          <li key={name} className="flex min-w-0 flex-col gap-0.5">
            <div className="flex min-w-0 justify-between gap-3">
              <span className="min-w-0 truncate">{name}</span>
              <span className="tabular-nums">
                <QuotaText quota={quota} />
              </span>
            </div>
            <div aria-hidden className="h-1 rounded bg-sunken">
              <div
                className="h-1 rounded bg-accent-solid"
                style={{ width: `${total === 0 ? 0 : (100 * quota) / total}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
