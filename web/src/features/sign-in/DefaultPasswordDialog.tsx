import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";

/**
 * Asks a user who signed in with the well-known default password to change it. Only an imported
 * database can have such an account.
 */
export function DefaultPasswordDialog(props: {
  readonly onChange: () => void;
  readonly onLater: () => void;
}) {
  const { onChange, onLater } = props;
  const t = useT();
  return (
    <Dialog
      open
      onClose={onLater}
      width="sm"
      title={t("entry.defaultPassword")}
      footer={
        <>
          <Button onClick={onLater}>{t("entry.later")}</Button>
          <Button variant="primary" onClick={onChange}>
            {t("entry.changePassword")}
          </Button>
        </>
      }
    >
      {t("entry.defaultPasswordBody")}
    </Dialog>
  );
}
