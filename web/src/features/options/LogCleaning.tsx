import { Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { showTimeExactly } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { useRunning } from "#ui/attention/attention.ts";
import { Button } from "#ui/controls/Button.tsx";
import { DateTimePicker } from "#ui/date/DateTimePicker.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { useCleanLogs } from "./options.api.ts";

/**
 * Removes log rows from before a chosen time. One call removes a limited number of rows; the
 * server's message says if there are more.
 */
export function LogCleaning({ anchor }: { readonly anchor: string }) {
  const t = useT();
  const id = useId();
  const confirm = useConfirm();
  const { mutateAsync: clean, isPending } = useCleanLogs();
  useRunning(isPending);
  const [before, setBefore] = useState<number | null>(null);

  async function start() {
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
    if (!agreed) return;
    try {
      const { data: count, message } = await clean(before);
      toast({
        tone: "success",
        title: t("settings.logCleaned", { count }),
        description: message === "" ? undefined : showMessage(message, t),
      });
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
            <Button
              variant="danger"
              loading={isPending}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => void start()}
            >
              {t("settings.logClean")}
            </Button>
          </div>
          <p className="text-xs">
            <Muted>{t("settings.logCleanHelp")}</Muted>
          </p>
        </div>
      </Card>
    </section>
  );
}
