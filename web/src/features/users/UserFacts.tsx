import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import type { ReactNode } from "react";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { roleLook, statusLook } from "./user-rules.ts";

/** Shows the values of a user that administrators can see but not edit. */
export function UserFacts({ user }: { user: AdminUser }) {
  const t = useT();
  const state = statusLook(user);
  return (
    <DescriptionList
      items={[
        { label: t("users.id"), value: user.id },
        {
          label: t("users.role"),
          value: <Badge tone={roleLook[user.role].tone}>{t(roleLook[user.role].label)}</Badge>,
        },
        { label: t("users.status"), value: <Badge tone={state.tone}>{t(state.label)}</Badge> },
        { label: t("users.quotaLeft"), value: <QuotaText quota={user.quota} /> },
        ...(user.debt > 0 ? [{ label: t("users.debt"), value: <Debt quota={user.debt} /> }] : []),
        { label: t("users.quotaUsed"), value: <QuotaText quota={user.used_quota} /> },
        { label: t("users.calls"), value: user.request_count.toLocaleString("en-US") },
        { label: t("users.invited"), value: user.aff_count.toLocaleString("en-US") },
        { label: t("users.inviter"), value: user.inviter_id === 0 ? "–" : `#${user.inviter_id}` },
        { label: t("users.created"), value: showTime(user.create_time, "–") },
        { label: t("users.lastUse"), value: showTime(user.last_use_time, t("users.neverUsed")) },
      ]}
    />
  );
}

function Debt({ quota }: { quota: number }) {
  return (
    <Toned tone="danger">
      <QuotaText quota={quota} />
    </Toned>
  );
}

/**
 * Shows the user's OAuth identities. Only the user can bind and unbind them, so they are read-only
 * here.
 */
export function LinkedAccounts({ user }: { user: AdminUser }) {
  const t = useT();
  return (
    <DescriptionList
      items={[
        { label: t("users.email"), value: <Bound>{user.email}</Bound> },
        { label: "GitHub", value: <Bound>{user.github_id}</Bound> },
        { label: t("users.wechat"), value: <Bound>{user.wechat_id}</Bound> },
        { label: "Telegram", value: <Bound>{user.telegram_id}</Bound> },
        { label: "OIDC", value: <Bound>{user.oidc_id}</Bound> },
        { label: "LINUX DO", value: <Bound>{user.linux_do_id}</Bound> },
      ]}
    />
  );
}

function Bound({ children }: { children: string }): ReactNode {
  const t = useT();
  return children === "" ? <Muted>{t("users.notBound")}</Muted> : children;
}
