import { useT } from "#i18n/t.ts";
import { showQuota } from "#display/quota.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useDrafts } from "#widgets/option-form/drafts.ts";

/**
 * Says beside the switches of registration with which balance new users start, because the amount
 * itself is on another tab.
 */
export function StartingBalanceNote() {
  const t = useT();
  const display = useQuotaDisplay();
  const { stored } = useDrafts();
  const balance = showQuota(Number(stored.QuotaForNewUser ?? "0"), display);
  return (
    <p className="text-sm">
      <Muted>{t("settings.newUserBalance", { balance })}</Muted>{" "}
      <Link to="/setting" search={{ tab: "operation" }} hash="QuotaForNewUser">
        {t("settings.newUserBalanceChange")}
      </Link>
    </p>
  );
}
