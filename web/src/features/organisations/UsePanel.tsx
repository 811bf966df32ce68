import type { OrganisationUse } from "@tollgate/contract/endpoints/organisations.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { RankedBars } from "#ui/chart/RankedBars.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
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

function Sums(props: {
  readonly title: string;
  readonly total: number;
  readonly rows: readonly Sum[];
}) {
  const { title, total, rows } = props;
  const t = useT();
  const display = useQuotaDisplay();
  return (
    <RankedBars
      title={title}
      columns={[title, t("organisations.amount")]}
      rows={rows.map(({ name, quota }, place) => ({
        id: name,
        name,
        share: total === 0 ? 0 : quota / total,
        place,
        cells: [showQuota(quota, display)],
        target: null,
      }))}
    />
  );
}
