import type { ReactNode, RefObject, SubmitEvent } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";

/** A dialog with a small form. It is always open; its parent renders it only while it is needed. */
export function FormDialog(props: {
  /** The state of the form, as the hook `useDialogForm` returns it. */
  readonly form: {
    readonly element: RefObject<HTMLFormElement | null>;
    readonly isSending: boolean;
    readonly handleSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  };
  readonly title: string;
  readonly description?: string;
  readonly submitLabel: string;
  /** Whether the action cannot be undone; the button is then red. */
  readonly danger?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, description, danger = false, onClose } = props;
  const { element, isSending, handleSubmit } = props.form;
  const t = useT();
  return (
    <Dialog open onClose={onClose} width="sm" title={title} description={description}>
      <form ref={element} noValidate className="flex flex-col gap-4" onSubmit={handleSubmit}>
        {props.children}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant={danger ? "danger" : "primary"} type="submit" loading={isSending}>
            {props.submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
