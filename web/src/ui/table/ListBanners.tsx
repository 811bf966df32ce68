import { X } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import type { PartialResult } from "./tools/bulk-result.ts";

/** How many reasons the banner lists; it only counts the further ones. */
const reasonsMax = 5;

/**
 * Banners above rows that are still shown: no network, rows that could not be read again, a bulk
 * action that changed only some rows.
 */
export function ListBanners(props: {
  readonly online: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly partial: PartialResult | null;
  readonly onDismiss: () => void;
}) {
  const { online, error, onRetry, partial, onDismiss } = props;
  const t = useT();
  return (
    <>
      {!online && (
        <Banner tone="warning" title={t("ui.tableOffline")}>
          {t("ui.tableOfflineRows")}
        </Banner>
      )}
      {online && error !== null && <StaleBanner error={error} onRetry={onRetry} />}
      {partial !== null && <PartialBanner partial={partial} onDismiss={onDismiss} />}
    </>
  );
}

function StaleBanner({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const t = useT();
  const { title, requestId } = describeError(error);
  return (
    <Banner
      tone="danger"
      title={t("ui.tableStale")}
      action={
        <Button size="sm" onClick={onRetry}>
          {t("ui.retry")}
        </Button>
      }
    >
      {title}
      {requestId !== null && (
        <>
          {" · "}
          {t("ui.requestId")} <code className="font-mono text-xs">{requestId}</code>
        </>
      )}
    </Banner>
  );
}

function PartialBanner(props: { readonly partial: PartialResult; readonly onDismiss: () => void }) {
  const { label, done, total, failed } = props.partial;
  const t = useT();
  return (
    <Banner
      tone="warning"
      title={t("ui.tablePartial", { action: label, done, total })}
      action={
        <IconButton
          size="sm"
          label={t("ui.tableDismiss")}
          icon={<X size={16} aria-hidden />}
          onClick={props.onDismiss}
        />
      }
    >
      <ul>
        {failed.slice(0, reasonsMax).map(({ id, name, reason }) => (
          <li key={id}>{t("ui.tablePartialRow", { name, reason })}</li>
        ))}
        {failed.length > reasonsMax && (
          <li>{t("ui.tablePartialMore", { count: failed.length - reasonsMax })}</li>
        )}
      </ul>
    </Banner>
  );
}
