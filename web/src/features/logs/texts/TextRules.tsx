import { EyeOff, Trash2 } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { useRemoveTexts, useTextRules, useTextsOff } from "./texts.api.ts";

/**
 * Says on the log page, to everybody who sees it, that the texts of calls are kept; nothing while
 * they are not. Root can stop it here.
 */
export function TextRules(props: {
  readonly isRoot: boolean;
  /** Whether root can open the texts from the rows of this very page. */
  readonly areHere: boolean;
}) {
  const { isRoot, areHere } = props;
  const t = useT();
  const { data: rules } = useTextRules();
  if (rules?.enabled !== true) return null;
  return (
    <Banner
      tone="info"
      title={t("logs.textsKept", { count: rules.days })}
      action={isRoot ? <RootActions /> : undefined}
    >
      {t(isRoot ? (areHere ? "logs.textsKeptHere" : "logs.textsKeptRoot") : "logs.textsKeptUser")}
      {(rules.dropped ?? 0) > 0 && ` ${t("logs.textsDropped", { count: rules.dropped ?? 0 })}`}
    </Banner>
  );
}

function RootActions() {
  const t = useT();
  const confirm = useConfirm();
  const off = useTextsOff();
  const removal = useRemoveTexts();

  async function remove() {
    const agreed = await confirm({
      title: t("logs.textsRemoveTitle"),
      body: t("logs.textsRemoveBody"),
      confirmLabel: t("logs.textsRemove"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      const count = await removal.mutateAsync();
      toast({ tone: "success", title: t("logs.textsRemoved", { count }) });
    } catch (error) {
      toastError(error);
    }
  }

  async function turnOff() {
    try {
      await off.mutateAsync();
      toast({ tone: "success", title: t("logs.textsOffDone") });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <span className="flex flex-wrap gap-2">
      <Button
        size="sm"
        loading={off.isPending}
        icon={<EyeOff size={14} aria-hidden />}
        onClick={() => void turnOff()}
      >
        {t("logs.textsOff")}
      </Button>
      <Button
        size="sm"
        loading={removal.isPending}
        icon={<Trash2 size={14} aria-hidden />}
        onClick={() => void remove()}
      >
        {t("logs.textsRemove")}
      </Button>
    </span>
  );
}
