import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** What the user has, has spent, and how often the user has called. */
export function BalanceCard({ account }: { readonly account: User }) {
  const t = useT();
  return (
    <Card title={t("wallet.balanceTitle")}>
      <div className="flex flex-col gap-3">
        <p className="text-2xl font-semibold tabular-nums">
          <QuotaText quota={account.quota} />
        </p>
        {account.debt > 0 && (
          <Banner tone="danger" title={t("wallet.debtTitle")}>
            {t("wallet.debtHelp")}
          </Banner>
        )}
        <DescriptionList
          items={[
            ...(account.debt > 0
              ? [{ label: t("wallet.debt"), value: <QuotaText quota={account.debt} /> }]
              : []),
            { label: t("wallet.spent"), value: <QuotaText quota={account.used_quota} /> },
            { label: t("wallet.calls"), value: account.request_count.toLocaleString("en-US") },
          ]}
        />
      </div>
    </Card>
  );
}
