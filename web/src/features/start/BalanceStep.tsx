import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Step } from "#ui/layout/StepList.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useStatus } from "#widgets/server/use-status.ts";

/**
 * Shows the balance. While it is empty: the address where codes are sold if root has set one, or
 * else a request for the operator, with a link to this user's page.
 */
export function BalanceStep(props: {
  readonly user: ShortUser;
  readonly quota: number;
  readonly done: boolean;
  readonly current: boolean;
}) {
  const { user, quota, done, current } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const status = useStatus();
  const balance = showQuota(quota, display);
  const shop = status?.top_up_link ?? "";
  const system = status?.system_name || "Tollgate";
  const address = `${serverUrlOf(status?.server_address, ownAddress())}/user?open=${user.id}`;
  const request = t("start.balanceRequest", { username: user.username, id: user.id, address });
  const todo = t(shop === "" ? "start.balanceAsk" : "start.balanceTopUp", { balance, system });
  return (
    <Step
      level={2}
      title={t("start.balance")}
      state={t(done ? "start.done" : "start.todo")}
      done={done}
      current={current}
      text={quota > 0 ? t("start.balanceDone", { balance }) : todo}
      actions={
        quota > 0 ? null : (
          <>
            <CopyButton
              text={request}
              label={t("start.copyRequest")}
              size="md"
              variant={shop === "" ? "primary" : "default"}
            />
            {shop !== "" && (
              <LinkButton href={shop} variant="primary">
                {t("start.topUp")}
              </LinkButton>
            )}
          </>
        )
      }
    />
  );
}
