import { KeyRound, X } from "lucide-react";
import { type SubmitEvent, useId, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { maskKey } from "#ui/copy/mask-key.ts";

/**
 * Root's filter by a token's key. The key is a secret, so it stays in the page's memory: it is not
 * put into the address, the history or any storage, and is sent in the body of a request.
 */
export function KeyFilter(props: { value: string; onChange: (key: string) => void }) {
  const { value, onChange } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      {value === "" ? (
        <Button icon={<KeyRound size={16} aria-hidden />} onClick={() => setOpen(true)}>
          {t("logs.byKey")}
        </Button>
      ) : (
        <span className="inline-flex items-center gap-1">
          <Button icon={<KeyRound size={16} aria-hidden />} onClick={() => setOpen(true)}>
            <code className="font-mono text-xs">{maskKey(value)}</code>
          </Button>
          <IconButton
            label={t("logs.byKeyClear")}
            icon={<X size={16} aria-hidden />}
            onClick={() => onChange("")}
          />
        </span>
      )}
      {open && (
        <KeyDialog
          onClose={() => setOpen(false)}
          onApply={(key) => {
            onChange(key);
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

function KeyDialog(props: { onApply: (key: string) => void; onClose: () => void }) {
  const t = useT();
  const id = useId();
  const [key, setKey] = useState("");
  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (key.trim() !== "") props.onApply(key.trim());
  }
  return (
    <Dialog
      open
      title={t("logs.byKeyTitle")}
      onClose={props.onClose}
      footer={
        <>
          <Button onClick={props.onClose}>{t("logs.cancel")}</Button>
          <Button variant="primary" type="submit" form={id} disabled={key.trim() === ""}>
            {t("logs.byKeyApply")}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={handleSubmit} className="flex flex-col gap-2">
        <label htmlFor={`${id}-key`} className="text-sm">
          {t("logs.byKeyLabel")}
        </label>
        <PasswordInput
          id={`${id}-key`}
          placeholder="sk-…"
          autoComplete="off"
          spellCheck={false}
          maxLength={keyMax}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <Muted>{t("logs.byKeyHelp")}</Muted>
      </form>
    </Dialog>
  );
}

/** The longest key that is sent, in characters: the most that the server accepts in a filter. */
const keyMax = 100;
