import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { beginTelegram, useAsksPassword } from "#features/account/account.api.ts";
import { ProofDialog } from "./BindingsPart.tsx";
import { TelegramButton } from "#widgets/sign-in/TelegramButton.tsx";

/**
 * Shows Telegram's own button, after the present password where the server asks for it. Telegram's
 * script is loaded only when the button is shown.
 */
export function TelegramDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const asksPassword = useAsksPassword();
  const [state, setState] = useState("");
  if (asksPassword && state === "") {
    return (
      <ProofDialog
        name={t("account.telegram")}
        begin={async (password) => setState(await beginTelegram(password))}
        onClose={onClose}
        onProven={() => {}}
      />
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      width="sm"
      title={t("account.telegramTitle")}
      description={t("account.telegramHow")}
      footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
    >
      <TelegramButton proof={state} />
    </Dialog>
  );
}
