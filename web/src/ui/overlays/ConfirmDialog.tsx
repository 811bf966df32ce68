import { type ReactNode, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { dialogPlace } from "./dialog-place.ts";
import { ModalFrame } from "./ModalFrame.tsx";

export type ConfirmQuestion = {
  readonly title: string;
  /** Says what the consequences are, and whether they can be undone. */
  readonly body?: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel?: string | undefined;
  readonly tone?: "danger" | undefined;
  /**
   * A text that the user must type before the button can be pressed: a name, or the number of
   * things.
   */
  readonly typed?: string | undefined;
};

/**
 * A dialog that asks to confirm. Null closes it; while it fades out, it still shows the last
 * question.
 */
export function ConfirmDialog(props: {
  question: ConfirmQuestion | null;
  onAnswer: (yes: boolean) => void;
}) {
  const { question, onAnswer } = props;
  const [last, setLast] = useState(question);
  if (question !== null && question !== last) setLast(question);
  const shown = question ?? last;
  if (shown === null) return null;
  return <Question open={question !== null} question={shown} onAnswer={onAnswer} />;
}

function Question(props: {
  open: boolean;
  question: ConfirmQuestion;
  onAnswer: (yes: boolean) => void;
}) {
  const { open, question, onAnswer } = props;
  const t = useT();
  const cancel = useRef<HTMLButtonElement>(null);
  const agree = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const danger = question.tone === "danger";
  // What gets the first focus. For a dangerous action it is the text field or "cancel", so that
  // pressing Enter immediately destroys nothing.
  const first = question.typed !== undefined ? input : danger ? cancel : agree;
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState(question);
  if (asked !== question) {
    setAsked(question);
    setTyped("");
  }
  const ready = question.typed === undefined || typed.trim() === question.typed;
  return (
    <ModalFrame
      open={open}
      onClose={() => onAnswer(false)}
      title={question.title}
      place={dialogPlace("sm")}
      role="alertdialog"
      keepOnPress
      initialFocus={first}
      footer={
        <>
          <Button ref={cancel} onClick={() => onAnswer(false)}>
            {question.cancelLabel ?? t("ui.cancel")}
          </Button>
          <Button
            ref={agree}
            variant={danger ? "danger" : "primary"}
            disabled={!ready}
            onClick={() => onAnswer(true)}
          >
            {question.confirmLabel}
          </Button>
        </>
      }
    >
      {question.body === undefined && question.typed === undefined ? undefined : (
        <div className="flex flex-col gap-3 wrap-anywhere">
          {question.body !== undefined && <div className="text-muted">{question.body}</div>}
          {question.typed !== undefined && (
            <label className="flex flex-col gap-1.5 text-sm">
              <span>
                {t("ui.typeToConfirm")}{" "}
                <code className="rounded-inner bg-neutral-soft px-1 py-0.5 font-mono select-all">
                  {question.typed}
                </code>
              </span>
              <Input
                ref={input}
                value={typed}
                spellCheck={false}
                autoCapitalize="none"
                onChange={(event) => setTyped(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
                  event.preventDefault();
                  if (ready) onAnswer(true);
                }}
              />
            </label>
          )}
        </div>
      )}
    </ModalFrame>
  );
}
