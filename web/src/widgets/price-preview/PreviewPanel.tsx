import {
  type PreviewDays,
  previewDays,
  type PricePreview,
} from "@tollgate/contract/endpoints/price-previews.ts";
import { useEffect, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { type TriedPrices, usePreview } from "./price-preview.api.ts";
import { PreviewFigures } from "./PreviewFigures.tsx";

/** Tries prices on the calls of the last days: what they would have been charged. */
export function PreviewPanel({
  tried,
  isOver = false,
  onPreview,
}: {
  readonly tried: TriedPrices;
  /** Whether only calls are tried that ended before the last seconds, as a re-rate needs it. */
  readonly isOver?: boolean;
  /** Told of each state of the preview; null: there is none. */
  readonly onPreview?: (preview: PricePreview | null) => void;
}) {
  const t = useT();
  const [days, setDays] = useState<PreviewDays>(7);
  const { preview, failure, isBeginning, begin, cancel } = usePreview(tried, isOver);
  useEffect(() => onPreview?.(preview), [onPreview, preview]);
  const isRunning = preview?.state === "running";
  // The button often stands at the end of a sheet, where what comes after it would not be seen.
  const section = useRef<HTMLElement>(null);
  const shown = preview?.state;
  useEffect(() => {
    if (shown !== undefined) section.current?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  return (
    <section
      ref={section}
      aria-label={t("pricePreview.title")}
      className="flex min-w-0 flex-col gap-4"
    >
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          aria-label={t("pricePreview.days")}
          items={previewDays.map((count) => ({
            value: String(count),
            label: t("pricePreview.lastDays", { count }),
          }))}
          value={String(days)}
          disabled={isRunning}
          onChange={(text) => setDays(previewDays.find((count) => String(count) === text) ?? days)}
        />
        {isRunning ? (
          <Button onClick={cancel}>{t("pricePreview.cancel")}</Button>
        ) : (
          <Button loading={isBeginning} onClick={() => void begin(days)}>
            {t("pricePreview.begin")}
          </Button>
        )}
      </div>
      {failure !== null ? (
        <ErrorState error={failure} title={t("pricePreview.failed")} />
      ) : preview === null ? (
        <p className="text-sm">
          <Muted>{t("pricePreview.idle")}</Muted>
        </p>
      ) : preview.state === "failed" ? (
        <Banner tone="danger" title={t("pricePreview.failed")}>
          {showMessage(preview.message, t)}
        </Banner>
      ) : preview.result === null ? (
        <div className="flex flex-col gap-2" aria-live="polite">
          <ProgressBar
            value={preview.done}
            max={Math.max(preview.done, preview.about)}
            label={t("pricePreview.progress")}
          />
          <Muted>
            {t("pricePreview.doneOf", {
              done: preview.done.toLocaleString("en-US"),
              about: Math.max(preview.done, preview.about).toLocaleString("en-US"),
            })}
          </Muted>
        </div>
      ) : preview.result.totals.calls === 0 ? (
        <p className="text-sm" role="status">
          {t("pricePreview.empty")}
        </p>
      ) : (
        <PreviewFigures result={preview.result} />
      )}
    </section>
  );
}
