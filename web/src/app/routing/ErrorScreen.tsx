import type { ErrorComponentProps } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { copyText } from "#ui/copy/copy-text.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import { StatePage } from "#ui/layout/StatePage.tsx";

/**
 * Replaces a screen that failed while it was drawn: shows an error that the user can quote, and a
 * button to try again. Uses only code that is already loaded, because the cause may be that code
 * cannot be loaded.
 */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const t = useT();
  const { title, requestId } = describeError(error);
  const details = detailsOf(error, requestId);
  return (
    <StatePage
      urgent
      heading={t("app.errorTitle")}
      picture="broken"
      title={title}
      description={requestId === null ? null : t("app.requestId", { id: requestId })}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button variant="primary" onClick={() => reset()}>
            {t("app.retry")}
          </Button>
          <Button onClick={() => void copyText(details)}>{t("app.copyDetails")}</Button>
          <LinkButton to="/">{t("app.home")}</LinkButton>
        </div>
      }
    >
      <details className="mx-auto w-full max-w-140 text-sm">
        <summary>{t("app.details")}</summary>
        <pre className="mt-2 overflow-x-auto whitespace-pre-wrap select-all">{details}</pre>
      </details>
    </StatePage>
  );
}

/** Returns the details of an error that a developer needs, as text to copy. */
function detailsOf(error: unknown, requestId: string | null): string {
  return [
    location.href,
    new Date().toISOString(),
    ...(requestId === null ? [] : [`request id: ${requestId}`]),
    navigator.userAgent,
    error instanceof Error ? (error.stack ?? String(error)) : String(error),
  ].join("\n");
}
