import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useDrafts } from "#widgets/option-form/drafts.ts";

/**
 * Shows the bot check with the keys that are about to be saved: root has to pass it, so that wrong
 * keys cannot lock everybody out.
 */
export function BotTrial() {
  const t = useT();
  const { botTrial } = useDrafts();
  if (botTrial === null) return null;
  return (
    <div className="flex max-w-120 flex-col gap-2">
      <p className="text-sm">{t("settings.botTrial")}</p>
      {botTrial}
      <p className="text-xs">
        <Muted>{t("settings.botTrialHelp")}</Muted>
      </p>
    </div>
  );
}
