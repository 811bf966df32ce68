import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Figure } from "#ui/chart/Figure.tsx";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { ListSection } from "#ui/table/ListSection.tsx";
import { showQuota } from "#display/quota.ts";
import { earningColumns, earningId } from "#widgets/earnings/earning-columns.tsx";
import { InviteLink } from "#widgets/earnings/InviteLink.tsx";
import { MoveSheet } from "#widgets/earnings/MoveSheet.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import {
  readOwnEarnings,
  useInviteCode,
  useMoveEarnings,
  useOwnAccount,
  useOwnEarnings,
} from "./wallet.api.ts";

/** What invitations have earned: rewards and rebates, and the way to the balance. */
export function EarningsTab(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
}) {
  const t = useT();
  const query = useOwnEarnings(props.search);
  const columns = useMemo(() => earningColumns(t, false), [t]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <EarningsCard />
      <ListSection
        id="own-earnings"
        title={t("wallet.earningRecords")}
        description={t("wallet.earningRecordsHelp")}
        {...props}
        query={query}
        fetchPage={readOwnEarnings}
        columns={columns}
        rowId={earningId}
        empty={{
          title: t("wallet.earningsNone"),
          description: t("wallet.earningsNoneHow"),
          action: null,
        }}
      />
    </div>
  );
}

function EarningsCard() {
  const t = useT();
  const display = useQuotaDisplay();
  const account = useOwnAccount();
  const { mutateAsync: move } = useMoveEarnings();
  const code = useInviteCode();
  const [isMoving, setMoving] = useState(false);
  if (account.data === undefined) {
    if (account.error === null) return <Skeleton height={180} />;
    return <ErrorState error={account.error} onRetry={() => void account.refetch()} />;
  }
  const { aff_quota, aff_history_quota, aff_count } = account.data;
  const least = Math.max(1, Math.ceil(display.quotaPerUnit));
  const isEnough = aff_quota >= least;
  return (
    <Card title={t("wallet.earningsTitle")}>
      <div className="flex flex-col gap-4">
        <InviteLink code={code} />
        <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-4">
          <div className="flex flex-wrap gap-x-10 gap-y-3">
            <Figure label={t("wallet.earningsNow")}>
              <QuotaText quota={aff_quota} />
            </Figure>
            <Figure label={t("wallet.earningsEver")}>
              <QuotaText quota={aff_history_quota} />
            </Figure>
            <Figure label={t("wallet.invited")}>{aff_count.toLocaleString("en-US")}</Figure>
          </div>
          <div className="flex flex-wrap items-center gap-3">
            {!isEnough && (
              <span className="text-sm">
                <Muted>{t("wallet.earningsFrom", { least: showQuota(least, display) })}</Muted>
              </span>
            )}
            <Button disabled={!isEnough} onClick={() => setMoving(true)}>
              {t("widgets.earningsMove")}
            </Button>
          </div>
        </div>
      </div>
      {isMoving && (
        <MoveSheet least={least} most={aff_quota} onMove={move} onClose={() => setMoving(false)} />
      )}
    </Card>
  );
}
