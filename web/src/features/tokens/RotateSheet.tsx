import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useId, useState } from "react";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { Line } from "#widgets/tokens/Line.tsx";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { useEndOldKey, useRotateToken } from "./tokens.api.ts";

const daySeconds = 86_400;

/** How long the old key can stay, and which is suggested: enough to change all programs. */
const stays = [0, 3_600, daySeconds, 7 * daySeconds, 30 * daySeconds];
const stayDefault = daySeconds;

function stayName(seconds: number, t: T): string {
  if (seconds === 0) return t("tokens.rotateAtOnce");
  if (seconds < daySeconds) return t("tokens.rotateHour");
  return t("tokens.rotateDays", { count: seconds / daySeconds });
}

/** A sheet that gives a token a new key, and lets the old one work for a chosen time. */
export function RotateSheet({ token, onClose }: { token: Token; onClose: () => void }) {
  const t = useT();
  const id = useId();
  const rotate = useRotateToken();
  const [seconds, setSeconds] = useState(stayDefault);
  const [made, setMade] = useState<Token | null>(null);

  async function submit(): Promise<void> {
    try {
      setMade(await rotate.mutateAsync({ id: token.id, old_key_seconds: seconds }));
    } catch (error) {
      toastError(error);
    }
  }

  const title = t("tokens.rotateTitle", { name: token.name });
  if (made !== null) return <NewKey title={title} token={made} onClose={onClose} />;
  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" loading={rotate.isPending} onClick={() => void submit()}>
            {t("tokens.rotateSubmit")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-sm">{t("tokens.rotateText")}</p>
        {token.old_key !== "" && (
          <Banner
            tone="warning"
            title={t("tokens.rotateEndsOlder", { key: tokenKeyPrefix + token.old_key })}
          />
        )}
        <div className="flex flex-col gap-1.5">
          <span id={id} className="text-sm font-medium">
            {t("tokens.rotateStay")}
          </span>
          <Select
            aria-labelledby={id}
            items={stays.map((value) => ({ value, label: stayName(value, t) }))}
            value={seconds}
            onChange={setSeconds}
          />
          <span className="text-xs">
            <Muted>{seconds === 0 ? t("tokens.rotateNow") : t("tokens.rotateBoth")}</Muted>
          </span>
        </div>
      </div>
    </Sheet>
  );
}

function NewKey(props: { title: string; token: Token; onClose: () => void }) {
  const { token } = props;
  const t = useT();
  const key = tokenKeyPrefix + token.key;
  return (
    <Sheet
      open
      onClose={props.onClose}
      title={props.title}
      footer={
        <Button variant="primary" onClick={props.onClose}>
          {t("tokens.done")}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner
          tone="success"
          title={
            token.old_key === ""
              ? t("tokens.rotatedNow")
              : t("tokens.rotated", { time: showTime(token.old_key_ends_at, "") })
          }
        />
        <Line label={t("tokens.key")}>
          <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{key}</code>
          <CopyButton text={key} label={t("tokens.copyKey")} variant="primary" />
        </Line>
      </div>
    </Sheet>
  );
}

/** Says in a token's sheet that its old key still works, and can end it. */
export function OldKeyNote({ token }: { token: Token }) {
  const t = useT();
  const end = useEndOldKey();
  if (token.old_key === "" || end.data !== undefined) return null;
  const key = tokenKeyPrefix + token.old_key;

  async function endNow(): Promise<void> {
    try {
      await end.mutateAsync(token.id);
      toast({ tone: "success", title: t("tokens.oldKeyEnded", { key }) });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Banner
      tone="info"
      title={t("tokens.oldKey", { key, time: showTime(token.old_key_ends_at, "") })}
      action={
        <Button size="sm" loading={end.isPending} onClick={() => void endNow()}>
          {t("tokens.oldKeyEnd")}
        </Button>
      }
    />
  );
}
