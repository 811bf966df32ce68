import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import { useT } from "#i18n/t.ts";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { knownPercent, marginOf, marginPercent } from "#widgets/money/margin.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useMargin } from "./dashboard.api.ts";
import type { DashboardSearch } from "./dashboard.search.ts";

/** What root earns with the calls of the span; nothing as long as no cost of them is known. */
export function Margin(props: { readonly data: Dashboard; readonly search: DashboardSearch }) {
  const { data, search } = props;
  const t = useT();
  const { data: totals } = useMargin(search, data);
  const margin = totals === undefined ? null : marginOf(totals);
  if (totals === undefined || margin === null || search.token_id !== "") return null;
  return (
    <Section
      title={t("dashboard.marginTitle")}
      actions={<LinkButton to="/margins">{t("dashboard.marginMore")}</LinkButton>}
    >
      <FigureGrid
        figures={[
          {
            name: t("dashboard.margin"),
            value: <QuotaText quota={margin} />,
            note: t("dashboard.marginPercent", { percent: marginPercent(totals) ?? "–" }),
          },
          {
            name: t("dashboard.marginCost"),
            value: <QuotaText quota={totals.cost} />,
            note: t("dashboard.marginKnown", { percent: knownPercent(totals) ?? "–" }),
          },
        ]}
      />
    </Section>
  );
}
