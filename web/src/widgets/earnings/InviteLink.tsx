import { useId } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Input } from "#ui/controls/Input.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";

/** The link with which the user invites others. */
export function InviteLink(props: {
  /** The query of the user's invitation code. */
  readonly code: {
    readonly data: string | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
}) {
  const { code } = props;
  const t = useT();
  const id = useId();
  if (code.data === undefined) {
    if (code.error === null) return <Skeleton height={56} />;
    return <ErrorState error={code.error} onRetry={() => void code.refetch()} />;
  }
  const link = `${ownAddress()}/register?aff=${encodeURIComponent(code.data)}`;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {t("widgets.inviteLink")}
      </label>
      <div className="flex max-w-140 flex-wrap items-center gap-2">
        <div className="min-w-60 flex-1">
          <Input id={id} readOnly value={link} onFocus={(event) => event.target.select()} />
        </div>
        <CopyButton text={link} label={t("widgets.inviteCopy")} size="md" />
      </div>
    </div>
  );
}
