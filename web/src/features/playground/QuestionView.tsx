import { Pencil, Trash2 } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { type Question, textMax } from "./conversation.ts";
import { isSendKey } from "./send-key.ts";

export const QuestionView = memo(function QuestionView(props: {
  question: Question;
  busy: boolean;
  onEdit: (id: string, content: string) => void;
  onRemove: (id: string) => void;
}) {
  const { question, busy, onEdit, onRemove } = props;
  const t = useT();
  const [editing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement | null>(null);
  const close = (): void => {
    setEditing(false);
    // Gives the focus back to the edit button after the next frame, in which the button is drawn
    // again.
    requestAnimationFrame(() => pencil.current?.focus());
  };
  return (
    <article aria-label={t("playground.you")} className="flex flex-col items-end gap-1">
      {editing ? (
        <EditBox
          content={question.content}
          busy={busy}
          onCancel={close}
          onSend={(content) => {
            setEditing(false);
            onEdit(question.id, content);
          }}
        />
      ) : (
        <>
          <div className="max-w-[85%] min-w-0">
            <Card flush>
              <div className="flex flex-col gap-2 px-3.5 py-2">
                <Pictures images={question.images} />
                {question.content !== "" && (
                  <p dir="auto" className="leading-6 whitespace-pre-wrap wrap-anywhere">
                    {question.content}
                  </p>
                )}
              </div>
            </Card>
          </div>
          <div className="flex items-center">
            <CopyButton
              iconOnly
              variant="ghost"
              label={t("playground.copyQuestion")}
              text={question.content}
              disabled={question.content === ""}
            />
            <IconButton
              ref={pencil}
              size="sm"
              label={t("playground.edit")}
              icon={<Pencil size={14} aria-hidden />}
              disabled={busy}
              onClick={() => setEditing(true)}
            />
            <IconButton
              size="sm"
              label={t("playground.remove")}
              icon={<Trash2 size={14} aria-hidden />}
              disabled={busy}
              onClick={() => onRemove(question.id)}
            />
          </div>
        </>
      )}
    </article>
  );
});

/** A question in an input: the user changes it and asks it again. */
function EditBox(props: {
  content: string;
  busy: boolean;
  onCancel: () => void;
  onSend: (content: string) => void;
}) {
  const { content, busy, onCancel, onSend } = props;
  const t = useT();
  const [text, setText] = useState(content);
  const box = useRef<HTMLTextAreaElement | null>(null);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(content.length, content.length);
  }, [content]);
  const canSend = !busy && text.trim() !== "";
  const send = (): void => {
    if (canSend) onSend(text);
  };
  return (
    <form
      className="flex w-full flex-col gap-2 [&_textarea]:field-sizing-content [&_textarea]:max-h-80"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        ref={box}
        rows={2}
        aria-label={t("playground.editQuestion")}
        maxLength={textMax}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (!isSendKey({ ...pressOf(event), isComposing: event.nativeEvent.isComposing })) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button size="sm" onClick={onCancel}>
          {t("playground.cancel")}
        </Button>
        <Button size="sm" type="submit" variant="primary" disabled={!canSend}>
          {t("playground.sendAgain")}
        </Button>
      </div>
    </form>
  );
}

function pressOf(event: { key: string; shiftKey: boolean; altKey: boolean; keyCode: number }) {
  const { key, shiftKey, altKey, keyCode } = event;
  return { key, shiftKey, altKey, keyCode };
}

/** The pictures of a question. `onRemove` is given while the question is still being written. */
export function Pictures(props: { images: readonly string[]; onRemove?: (index: number) => void }) {
  const { images, onRemove } = props;
  const t = useT();
  if (images.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {images.map((image, index) => (
        // The index is part of the key, because the same picture may be there twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className="flex items-start">
          <img
            src={image}
            alt={t("playground.picture", { number: index + 1 })}
            className="max-h-32 max-w-full rounded border object-contain"
          />
          {onRemove !== undefined && (
            <IconButton
              size="sm"
              label={t("playground.removePicture", { number: index + 1 })}
              icon={<Trash2 size={14} aria-hidden />}
              onClick={() => onRemove(index)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
