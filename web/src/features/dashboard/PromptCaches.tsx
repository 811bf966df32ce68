/** What provider caches had of the input, and what it cost that conversations moved. */

import type {
  PromptCachePart,
  Dashboard,
  DashboardPromptCaches,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Figure } from "#ui/chart/Figure.tsx";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { type DashboardInput, usePromptCaches } from "./dashboard.api.ts";
import type { ShareKind } from "./log-links.ts";
import { weekdayText } from "./bucket-text.ts";
import { partName } from "./part-name.ts";

const kinds = ["models", "tokens", "users", "channels"] as const;

/** What the table is divided by: `days` has the models as columns. */
type By = ShareKind | "days";

const kindTexts = {
  models: "dashboard.cachesByModel",
  tokens: "dashboard.cachesByToken",
  users: "dashboard.cachesByUser",
  channels: "dashboard.cachesByChannel",
  days: "dashboard.cachesByDay",
} as const;

/** Nothing as long as no cache had anything and nothing moved. */
export function PromptCaches(props: { readonly data: Dashboard; readonly input: DashboardInput }) {
  const { data, input } = props;
  const t = useT();
  const [by, setBy] = useState<By>("models");
  const { data: caches } = usePromptCaches(input, data.refresh_minutes);
  if (caches === undefined || caches.cached_tokens + caches.moved_quota === 0) return null;
  const shown: readonly By[] = [
    ...kinds.filter((name) => caches[name] !== null),
    ...(caches.days.length > 1 ? (["days"] as const) : []),
  ];
  return (
    <Card
      title={<h2>{t("dashboard.cachesTitle")}</h2>}
      actions={
        <Segmented
          aria-label={t("dashboard.cachesBy")}
          items={shown.map((value) => ({ value, label: t(kindTexts[value]) }))}
          value={by}
          onChange={setBy}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-x-8 gap-y-2">
          <Figure label={t("dashboard.cachesShare")}>
            {shareText(caches.cached_tokens, data.totals.prompt_tokens, t)}
          </Figure>
          <Figure label={t("dashboard.cachesLost")}>
            <QuotaText quota={caches.moved_quota} />
          </Figure>
        </div>
        {by === "days" ? (
          <Days caches={caches} zone={data.time_zone} />
        ) : (
          <Parts data={data} caches={caches} kind={by} />
        )}
        <p className="text-xs">
          <Muted>{t("dashboard.cachesNote")}</Muted>
        </p>
      </div>
    </Card>
  );
}

function Parts(props: {
  readonly data: Dashboard;
  readonly caches: DashboardPromptCaches;
  readonly kind: ShareKind;
}) {
  const { caches, data, kind } = props;
  const t = useT();
  const title = t(kindTexts[kind]);
  return (
    <PlainTable
      label={title}
      columns={[
        { key: "name", title },
        { key: "share", title: t("dashboard.cachesShare") },
        { key: "tokens", title: t("dashboard.cachesTokens") },
        { key: "lost", title: t("dashboard.cachesLost") },
      ]}
      rows={(caches[kind] ?? []).map((part) => ({
        name: partName(kind, part, t),
        cells: [
          shareText(part.cached_tokens, inputOf(data, kind, part), t),
          part.cached_tokens.toLocaleString("en-US"),
          <QuotaText key="lost" quota={part.moved_quota} />,
        ],
      }))}
    />
  );
}

/** What each model had of its input from caches, day by day: what has changed, and since when. */
function Days(props: { readonly caches: DashboardPromptCaches; readonly zone: string }) {
  const { caches, zone } = props;
  const t = useT();
  const names = caches.days[0]?.models.map(({ name }) => name) ?? [];
  return (
    <PlainTable
      label={t("dashboard.cachesByDay")}
      columns={[
        { key: "day", title: t("dashboard.cachesDay") },
        ...names.map((name) => ({ key: name, title: name })),
      ]}
      rows={caches.days.map(({ start, models }) => ({
        name: weekdayText(start, zone),
        cells: models.map(({ cached_tokens, prompt_tokens }) =>
          shareText(cached_tokens, prompt_tokens, t),
        ),
      }))}
    />
  );
}

/** The input of a part; undefined: the dashboard has no sums of it, as it costs less than others. */
function inputOf(data: Dashboard, kind: ShareKind, part: PromptCachePart): number | undefined {
  const found = data[kind]?.top.find(({ id, name }) =>
    kind === "models" ? name === part.name : id === part.id,
  );
  return found?.prompt_tokens;
}

function shareText(cached: number, input: number | undefined, t: T): string {
  if (input === undefined || input <= 0) return "–";
  return t("dashboard.cachesPercent", { percent: Math.round((cached / input) * 100) });
}
