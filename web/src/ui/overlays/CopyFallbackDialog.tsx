import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { dialogPlace } from "./dialog-place.ts";
import { ModalFrame } from "./ModalFrame.tsx";

/**
 * Shows a text that the browser refused to put on the clipboard. The text is selected, so that the
 * user can copy it with the keyboard.
 */
export function CopyFallbackDialog(props: { text: string | null; onClose: () => void }) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const [last, setLast] = useState(props.text);
  if (props.text !== null && props.text !== last) setLast(props.text);
  const text = props.text ?? last;
  if (text === null) return null;
  return (
    <ModalFrame
      open={props.text !== null}
      onClose={props.onClose}
      title={t("ui.copyByHand")}
      description={t("ui.copyByHandWhy")}
      place={dialogPlace("md")}
      initialFocus={field}
      footer={<Button onClick={props.onClose}>{t("ui.close")}</Button>}
    >
      <div className="control-box">
        <textarea
          ref={field}
          readOnly
          aria-label={t("ui.textToCopy")}
          value={text}
          rows={Math.min(12, Math.max(2, Math.ceil(text.length / 56)))}
          onFocus={(event) => event.currentTarget.select()}
          className="control-text resize-none py-2 font-mono text-sm break-all"
        />
      </div>
    </ModalFrame>
  );
}
