import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { toast, toastRepeated } from "#ui/overlays/toast.ts";
import { emptyWeChat, weChatSchema } from "./binding-form.ts";
import { useBindWeChat } from "./personal.api.ts";
import { TextField } from "./TextField.tsx";
import { useDialogForm } from "./use-dialog-form.ts";

/** Side of the official account's QR code, in pixels. */
const pictureSize = 200;

/** The official account answers a word with a code, which is typed here. */
export function WeChatDialog(props: {
  /** Address of the QR code; empty: root has set none. */
  readonly picture: string;
  readonly onClose: () => void;
}) {
  const { picture, onClose } = props;
  const t = useT();
  const { mutateAsync: bind } = useBindWeChat();
  const schema = useMemo(() => weChatSchema(t), [t]);
  const [isPictureGone, setPictureGone] = useState(picture === "");
  const proof = useDialogForm({
    empty: emptyWeChat,
    schema,
    refusedField: "code",
    send: ({ code }) => bind(code),
    onSent() {
      toast({ tone: "success", title: t("account.bound", { name: t("account.weChat") }) });
      onClose();
    },
  });
  const { form, typed, faults, isSending, change } = proof;
  return (
    <Dialog
      open
      onClose={onClose}
      width="sm"
      title={t("account.weChatTitle")}
      description={t("account.weChatHow")}
    >
      <form
        ref={form}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => proof.handleSubmit(event)}
      >
        {isPictureGone ? (
          <Banner tone="danger" title={t("account.weChatPictureFailed")} />
        ) : (
          <img
            src={picture}
            alt={t("account.weChatPicture")}
            width={pictureSize}
            height={pictureSize}
            className="mx-auto object-contain"
            onError={() => setPictureGone(true)}
          />
        )}
        <TextField
          name="code"
          label={t("account.weChatCode")}
          help={t("account.weChatCodeHelp")}
          autoComplete="one-time-code"
          spellCheck={false}
          value={typed.code}
          fault={faults.code}
          onChange={(code) => change({ code })}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" type="submit" loading={isSending} onRepeat={toastRepeated}>
            {t("account.bind")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
