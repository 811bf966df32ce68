import { stopReasonMax } from "@tollgate/contract/endpoints/live.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { type StopScope, useStop } from "./live.api.ts";

/** Calls that are about to be stopped. */
export type StopQuestion = {
  readonly scope: StopScope;
  /** Which calls, in words. */
  readonly title: string;
};

/** Asks why calls are stopped, and stops them. */
export function StopDialog(props: { question: StopQuestion; onClose: () => void }) {
  const { question, onClose } = props;
  const t = useT();
  const [reason, setReason] = useState("");
  const { isPending, mutate } = useStop();
  const stop = () =>
    mutate(
      { ...question.scope, reason },
      {
        onError: toastError,
        onSuccess({ silent, stopped }) {
          onClose();
          if (silent.length === 0) {
            toast({ tone: "success", title: t("live.stopped", { count: stopped }) });
          } else {
            const nodes = silent.join(", ");
            toast({ tone: "warning", title: t("live.stoppedPartly", { count: stopped, nodes }) });
          }
        },
      },
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={question.title}
      description={t("live.stopText")}
      width="sm"
      footer={
        <>
          <Button onClick={onClose}>{t("live.cancel")}</Button>
          <Button variant="danger" loading={isPending} onClick={stop}>
            {t("live.stop")}
          </Button>
        </>
      }
    >
      <Input
        aria-label={t("live.reason")}
        placeholder={t("live.reasonPlaceholder")}
        maxLength={stopReasonMax}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Dialog>
  );
}
