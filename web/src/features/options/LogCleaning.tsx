import type { LogCleaning as Cleaning } from "@tollgate/contract/endpoints/logs.ts";
import { Square, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { showTimeExactly } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { useRunning } from "#ui/attention/attention.ts";
import { Button } from "#ui/controls/Button.tsx";
import { DateTimePicker } from "#ui/date/DateTimePicker.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { useLogCleaning } from "./options.api.ts";

/**
 * Removes log rows from before a chosen time, in the background: the card shows how far it is, also
 * after a reload, and can stop it.
 */
export function LogCleaning({ anchor }: { readonly anchor: string }) {
  const t = useT();
  const id = useId();
  const confirm = useConfirm();
  const { present, start, stop } = useLogCleaning();
  const isRunning = present?.state === "running";
  useRunning(isRunning);
  const [before, setBefore] = useState<number | null>(null);

  async function begin() {
    if (before === null) {
      toast({ tone: "warning", title: t("settings.logCleanMissing") });
      return;
    }
    const agreed = await confirm({
      title: t("settings.logCleanTitle", { time: showTimeExactly(before) }),
      body: t("settings.logCleanBody"),
      confirmLabel: t("settings.logClean"),
      tone: "danger",
    });
    if (agreed) await run(async () => await start.mutateAsync(before));
  }

  async function run(action: () => Promise<unknown>) {
    try {
      await action();
    } catch (error) {
      const reason = describeError(error).title;
      toast({ tone: "danger", title: t("settings.logCleanFailed", { reason }) });
    }
  }

  return (
    <section id={anchor} aria-labelledby={`${id}-title`} className="min-w-0 scroll-mt-4">
      <Card title={<h2 id={`${id}-title`}>{t("settings.logClean")}</h2>}>
        <div className="flex flex-col gap-3">
          <label htmlFor={id} className="text-sm font-medium">
            {t("settings.logCleanBefore")}
          </label>
          <div className="flex flex-wrap items-center gap-2">
            <div className="w-64 max-w-full">
              <DateTimePicker
                id={id}
                value={before}
                onChange={setBefore}
                clearable
                placeholder={t("settings.logCleanNone")}
              />
            </div>
            {isRunning ? (
              <Button
                loading={stop.isPending}
                icon={<Square size={16} aria-hidden />}
                onClick={() => void run(async () => await stop.mutateAsync())}
              >
                {t("settings.logCleanStop")}
              </Button>
            ) : (
              <Button
                variant="danger"
                loading={start.isPending}
                icon={<Trash2 size={16} aria-hidden />}
                onClick={() => void begin()}
              >
                {t("settings.logClean")}
              </Button>
            )}
          </div>
          {present !== undefined && present.state !== "idle" && <Progress cleaning={present} />}
          <p className="text-xs">
            <Muted>{t("settings.logCleanHelp")}</Muted>
          </p>
        </div>
      </Card>
    </section>
  );
}

/** How far the cleaning is, or how the last one has ended. */
function Progress({ cleaning }: { readonly cleaning: Cleaning }) {
  const t = useT();
  const { state, before, removed, total } = cleaning;
  const figures = { count: removed, time: showTimeExactly(before) };
  return (
    <div className="flex max-w-120 flex-col gap-1.5 text-sm" role="status">
      {state === "running" && (
        <>
          <span>
            {total === null
              ? t("settings.logCleanRunning", figures)
              : t("settings.logCleanProgress", {
                  ...figures,
                  total: total.toLocaleString("en-US"),
                })}
          </span>
          <ProgressBar value={removed} max={total ?? 0} label={t("settings.logClean")} />
        </>
      )}
      {state === "done" && t("settings.logCleanDone", figures)}
      {state === "stopped" && t("settings.logCleanStopped", figures)}
    </div>
  );
}
