import type { Dashboard, DearestCall } from "@tollgate/contract/endpoints/dashboard.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Rows } from "#ui/chart/Rows.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { hourText } from "./bucket-text.ts";
import { exactModel, logLink } from "./log-links.ts";

/** The most expensive calls of the span; each leads to its log row, unfolded, with its formula. */
export function DearestCalls({ data }: { readonly data: Dashboard }) {
  const { dearest, dearest_of_all: isOfAll, time_zone: zone } = data;
  const t = useT();
  const display = useQuotaDisplay();
  if (dearest.length === 0) return null;
  return (
    <Card title={<h2>{t("dashboard.dearest")}</h2>} flush>
      <Rows ordered>
        {dearest.map((row) => (
          <div key={row.id} className="flex flex-wrap items-center gap-x-4 gap-y-0.5 text-sm">
            <Link {...logLink(filtersOf(row))}>
              <span className="font-medium tabular-nums">{showQuota(row.quota, display)}</span>
            </Link>
            <span className="inline-flex min-w-0 items-center gap-1.5">
              <ModelMark model={row.model_name} />
              <span className="min-w-0 truncate">{row.model_name}</span>
            </span>
            <Muted>
              {t("dashboard.inOut", {
                input: row.prompt_tokens.toLocaleString("en-US"),
                output: row.completion_tokens.toLocaleString("en-US"),
              })}
            </Muted>
            <span className="min-w-0 truncate">
              <Muted>
                {[row.username, row.token_name].filter((name) => name !== "").join(" · ")}
              </Muted>
            </span>
            <span className="ml-auto tabular-nums">
              <Muted>{hourText(row.created_at, zone)}</Muted>
            </span>
          </div>
        ))}
      </Rows>
      {!isOfAll && (
        <p className="px-4 pb-3 text-xs">
          <Muted>{t("dashboard.dearestNewest")}</Muted>
        </p>
      )}
    </Card>
  );
}

/** The filters that leave the call's row, and few others, and unfold it. */
function filtersOf({ id, created_at, model_name }: DearestCall) {
  return {
    type: String(logType.enum.consumption),
    start: created_at,
    end: created_at,
    ...exactModel(model_name),
    expanded: String(id),
  };
}
