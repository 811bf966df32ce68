import { CircleAlert, RotateCw } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { describeError } from "./describe-error.ts";

/** Shown when something failed to load: the reason, the request id, and a button to try again. */
export function ErrorState(props: {
  error: unknown;
  /** Says what failed to load; without it only the reason is shown. */
  title?: string | undefined;
  onRetry?: (() => void) | undefined;
}) {
  const { error, title, onRetry } = props;
  const t = useT();
  const { title: reason, requestId } = describeError(error);
  return (
    <div role="alert" className="flex flex-col items-center px-4 py-10 text-center">
      <CircleAlert size={24} aria-hidden className="mb-3 text-danger-ink" />
      <p className="max-w-140 text-base font-medium wrap-anywhere">{title ?? reason}</p>
      {title !== undefined && (
        <p className="mt-1 max-w-140 text-sm wrap-anywhere text-muted">{reason}</p>
      )}
      {requestId !== null && (
        <p className="mt-1 flex max-w-full flex-wrap items-center justify-center gap-1 text-sm text-muted">
          {t("ui.requestId")}
          <code className="font-mono text-xs wrap-anywhere">{requestId}</code>
          <CopyButton text={requestId} label={t("ui.copyRequestId")} iconOnly />
        </p>
      )}
      {onRetry !== undefined && (
        <div className="mt-4">
          <Button icon={<RotateCw size={14} aria-hidden />} onClick={onRetry}>
            {t("ui.retry")}
          </Button>
        </div>
      )}
    </div>
  );
}
