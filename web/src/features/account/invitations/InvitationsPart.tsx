import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { Figure } from "#ui/chart/Figure.tsx";
import { InviteLink } from "#widgets/earnings/InviteLink.tsx";
import { useInviteCode } from "#features/account/account.api.ts";
import { Part } from "#features/account/Part.tsx";
import { leastTransfer } from "./transfer-form.ts";

/** The user's invitation link, the earnings from invitations, and the button to transfer them. */
export function InvitationsPart(props: { readonly self: User; readonly onTransfer: () => void }) {
  const { self, onTransfer } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const status = useStatus();
  const code = useInviteCode();
  const least = leastTransfer(display);
  const isEnough = self.aff_quota >= least;
  return (
    <Part
      name="invitations"
      help={
        <>
          {t("account.invitationsHelp")} {status !== undefined && rewards(status, display, t)}
        </>
      }
    >
      <InviteLink code={code} />
      <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-4">
        <div className="flex flex-wrap gap-x-10 gap-y-3">
          <Figure label={t("account.invited")}>{self.aff_count.toLocaleString("en-US")}</Figure>
          <Figure label={t("account.earnings")}>
            <QuotaText quota={self.aff_quota} />
          </Figure>
          <Figure label={t("account.earningsEver")}>
            <QuotaText quota={self.aff_history_quota} />
          </Figure>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          {!isEnough && (
            <span className="text-sm">
              <Muted>{t("account.transferFrom", { minimum: showQuota(least, display) })}</Muted>
            </span>
          )}
          <Button disabled={!isEnough} onClick={onTransfer}>
            {t("account.transferTo")}
          </Button>
        </div>
      </div>
    </Part>
  );
}

/** Writes which quota both sides get for an invitation at present. */
function rewards(status: Status, display: QuotaDisplay, t: T): string {
  const { quota_for_inviter, quota_for_invitee } = status;
  const inviter = showQuota(quota_for_inviter, display);
  const invitee = showQuota(quota_for_invitee, display);
  if (quota_for_inviter > 0 && quota_for_invitee > 0) {
    return t("account.invitationsBoth", { inviter, invitee });
  }
  if (quota_for_inviter > 0) return t("account.invitationsInviter", { inviter });
  if (quota_for_invitee > 0) return t("account.invitationsInvitee", { invitee });
  return t("account.invitationsNothing");
}
