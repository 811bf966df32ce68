import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { emptyWeChat, weChatSchema } from "./binding-form.ts";
import { FormDialog } from "#features/account/FormDialog.tsx";
import { useAsksPassword, useBindWeChat } from "#features/account/account.api.ts";
import { PresentPassword, TextField } from "#features/account/TextField.tsx";
import { WeChatPicture } from "#widgets/sign-in/WeChatPicture.tsx";
import { useDialogForm } from "#features/account/use-dialog-form.ts";

/**
 * Binds a WeChat account: the user sends a keyword to the operator's official WeChat account, which
 * answers with a code to type here.
 */
export function WeChatDialog(props: {
  /** The address of the official account's QR code; empty: root has set none. */
  readonly picture: string;
  readonly onClose: () => void;
}) {
  const { picture, onClose } = props;
  const t = useT();
  const { mutateAsync: bind } = useBindWeChat();
  const asksPassword = useAsksPassword();
  const schema = useMemo(() => weChatSchema(t, asksPassword), [t, asksPassword]);
  const form = useDialogForm({
    empty: emptyWeChat,
    schema,
    refusedField: "code",
    send: bind,
    sentText: t("account.bound", { name: t("account.weChat") }),
    onSent: onClose,
  });
  const { typed, faults, change } = form;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t("account.weChatTitle")}
      description={t("account.weChatHow")}
      submitLabel={t("account.bind")}
    >
      <WeChatPicture picture={picture} />
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
      {asksPassword && (
        <PresentPassword
          help={t("account.bindingPasswordHelp")}
          value={typed.password}
          fault={faults.password}
          onChange={(password) => change({ password })}
        />
      )}
    </FormDialog>
  );
}
