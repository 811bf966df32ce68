import type { readTokenUsage } from "@tollgate/contract/endpoints/tokens.ts";
import type { z } from "zod";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { BudgetBars } from "#widgets/tokens/BudgetBars.tsx";

type Usage = z.output<(typeof readTokenUsage)["output"]>;

/** What a key may still spend, and its limits. */
export function KeyUsage({ usage }: { readonly usage: Usage }) {
  const t = useT();
  const models = Object.keys(usage.model_limits);
  return (
    <div className="flex flex-col gap-3">
      {usage.key_ends_at > 0 && (
        <Banner
          tone="warning"
          title={t("keyQuery.keyEnds", { time: showTime(usage.key_ends_at, "") })}
        />
      )}
      <div className="grid gap-3 lg:grid-cols-2">
        <Card title={usage.name}>
          <div className="flex flex-col gap-3">
            <DescriptionList
              items={[
                {
                  label: t("keyQuery.left"),
                  value: usage.unlimited_quota ? (
                    t("keyQuery.unlimited")
                  ) : (
                    <QuotaText quota={usage.total_available} />
                  ),
                },
                { label: t("keyQuery.used"), value: <QuotaText quota={usage.total_used} /> },
                {
                  label: t("keyQuery.expires"),
                  value: showTime(usage.expires_at, t("keyQuery.never")),
                },
                {
                  label: t("keyQuery.models"),
                  value: usage.model_limits_enabled ? models.join(", ") : t("keyQuery.allModels"),
                },
              ]}
            />
            {!usage.unlimited_quota && (
              <ProgressBar
                value={usage.total_used}
                max={usage.total_granted}
                label={t("keyQuery.usedShare")}
              />
            )}
          </div>
        </Card>
        {usage.budgets.length > 0 && (
          <Card title={t("keyQuery.budgets")}>
            <BudgetBars budgets={usage.budgets} />
          </Card>
        )}
      </div>
    </div>
  );
}
