import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { UserLink } from "#widgets/people/UserLink.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { spendOf } from "./user-rules.ts";

/**
 * Shows the username, with the display name below it. The name of a deleted user cannot be clicked.
 */
export function UserName({ row, onOpen }: { row: AdminUser; onOpen: () => void }) {
  const { username, display_name } = row;
  return (
    <span className="block min-w-0">
      {row.DeletedAt === null ? (
        <UserLink name={username} onOpen={onOpen} />
      ) : (
        <CutText>{username}</CutText>
      )}
      {display_name !== "" && display_name !== username && (
        <span className="block text-xs leading-4">
          <Muted>
            <CutText>{display_name}</CutText>
          </Muted>
        </span>
      )}
    </span>
  );
}

/** Shows remaining and used quota, with a bar that turns to a warning colour when most is used. */
export function Spend({ row }: { row: AdminUser }) {
  const t = useT();
  const { used, total, percent, tone } = spendOf(row);
  const label = t("users.spent", { percent });
  const left = <QuotaText quota={row.quota} />;
  return (
    <span className="flex w-full flex-col gap-1">
      <span className="flex items-baseline justify-between gap-3 leading-4">
        {tone === "warning" || tone === "danger" ? <Toned tone={tone}>{left}</Toned> : left}
        <Muted>
          <QuotaText quota={used} />
        </Muted>
      </span>
      <Tip text={label}>
        <ProgressBar value={used} max={total} tone={tone} label={label} />
      </Tip>
    </span>
  );
}

/** Shows the number of invited users, the earnings from them, and who invited this user. */
export function Invitations({ row }: { row: AdminUser }) {
  const t = useT();
  const { aff_count, aff_history_quota, inviter_id } = row;
  const earned = useShown(aff_history_quota);
  const tip = [
    t("users.invitedTip", { count: aff_count, earned }),
    inviter_id === 0 ? t("users.inviterNone") : t("users.inviterTip", { id: inviter_id }),
  ].join("\n");
  return (
    <Tip text={tip}>
      {aff_count.toLocaleString("en-US")}
      {aff_history_quota > 0 && <Muted>{` · ${earned}`}</Muted>}
    </Tip>
  );
}

/** Shows the user's consumption in the last day, and below it in the last 7 and 30 days. */
export function Recent({ row }: { row: AdminUser }) {
  const t = useT();
  if (row.one_month === 0) return <Muted>–</Muted>;
  return (
    <span className="flex flex-col items-end leading-4 whitespace-nowrap">
      <QuotaText quota={row.one_day} />
      <span className="text-xs">
        <Muted>
          <QuotaText quota={row.one_week} />
          {" / "}
          <Tip text={t("users.shareTip", { percent: showPercent(row.one_month_ratio) })}>
            <QuotaText quota={row.one_month} />
          </Tip>
        </Muted>
      </span>
    </span>
  );
}

/** Shows the user's consumption in a period, and its share of the consumption of all users. */
export function Share({ quota, ratio }: { quota: number; ratio: number }) {
  const t = useT();
  if (quota === 0) return <Muted>–</Muted>;
  const percent = showPercent(ratio);
  return (
    <span className="flex flex-col items-end leading-4">
      <QuotaText quota={quota} />
      <span className="text-xs">
        <Tip text={t("users.shareTip", { percent })}>
          <Muted>{percent}</Muted>
        </Tip>
      </span>
    </span>
  );
}

/**
 * Writes a ratio from 0 to 1 as a percentage with one decimal place; ratios that would round to
 * zero are shown as `<0.1%`.
 */
function showPercent(ratio: number): string {
  const percent = Math.round(ratio * 1_000) / 10;
  return percent === 0 ? "<0.1%" : `${percent}%`;
}

function useShown(quota: number): string {
  return showQuota(quota, useQuotaDisplay());
}
