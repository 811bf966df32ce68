import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { TelegramButton } from "#widgets/sign-in/TelegramButton.tsx";

/** Shows Telegram's own button. Telegram's script is loaded only when this dialog opens. */
export function TelegramDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog
      open
      onClose={onClose}
      width="sm"
      title={t("account.telegramTitle")}
      description={t("account.telegramHow")}
      footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
    >
      <TelegramButton />
    </Dialog>
  );
}
