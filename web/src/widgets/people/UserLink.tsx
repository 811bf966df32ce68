/** A user's name as a link, and the dialog with more about the user that it opens. */

import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

export function UserLink(props: { name: string; onOpen: () => void }) {
  const t = useT();
  return (
    <button
      type="button"
      dir="auto"
      className="max-w-full cursor-pointer truncate text-left underline-offset-3 hover:underline max-md:min-h-8 max-md:min-w-8"
      title={t("widgets.userShow", { name: props.name })}
      onClick={props.onOpen}
    >
      {props.name}
    </button>
  );
}

/** A dialog about a user: account and balance. The caller reads them when it opens the dialog. */
export function UserDialog(props: {
  user: AdminUser | undefined;
  error: Error | null;
  onRetry: () => void;
  onClose: () => void;
  /** Buttons at the end, such as "show only this user's calls". */
  actions?: ReactNode;
}) {
  const { user, error } = props;
  const t = useT();
  return (
    <Dialog open onClose={props.onClose} title={t("widgets.userTitle")} footer={props.actions}>
      {user !== undefined && <UserFacts user={user} />}
      {user === undefined && error !== null && <ErrorState error={error} onRetry={props.onRetry} />}
      {user === undefined && error === null && <Skeleton />}
    </Dialog>
  );
}

function UserFacts({ user }: { user: AdminUser }) {
  const t = useT();
  return (
    <DescriptionList
      items={[
        { label: t("widgets.userName"), value: user.username },
        { label: t("widgets.userDisplayName"), value: user.display_name || "—" },
        { label: t("widgets.userGroup"), value: user.group },
        { label: t("widgets.userQuota"), value: <QuotaText quota={user.quota} /> },
        { label: t("widgets.userUsedQuota"), value: <QuotaText quota={user.used_quota} /> },
        {
          label: t("widgets.userRequestCount"),
          value: user.request_count.toLocaleString("en-US"),
        },
      ]}
    />
  );
}
