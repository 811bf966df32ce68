import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useTextAnswer } from "#ui/overlays/use-text-answer.ts";
import type { TextQuestion } from "#ui/overlays/use-text-question.ts";

/** Asks for a tag, which is then set on the selected channels. */
export function SetTagDialog({ question }: { question: TextQuestion }) {
  const { count } = question;
  const t = useT();
  const { text: tag, setText: setTag, close: closeWith } = useTextAnswer(question);
  const [missing, setMissing] = useState(false);
  const close = (given: string | null) => {
    setMissing(false);
    closeWith(given);
  };
  const save = () => {
    if (tag.trim() === "") setMissing(true);
    else close(tag.trim());
  };
  return (
    <Dialog
      open={count > 0}
      onClose={() => close(null)}
      title={t("channels.setTagTitle", { count })}
      width="sm"
      footer={
        <>
          <Button onClick={() => close(null)}>{t("channels.cancel")}</Button>
          <Button variant="primary" onClick={save}>
            {t("channels.setTag")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-1.5">
        <Input
          aria-label={t("channels.tag")}
          placeholder={t("channels.tagPlaceholder")}
          autoFocus
          value={tag}
          invalid={missing}
          onChange={(event) => {
            setTag(event.target.value);
            setMissing(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.nativeEvent.isComposing) save();
          }}
        />
        {missing && (
          <span role="alert" className="text-xs">
            <Toned tone="danger">{t("channels.tagRequired")}</Toned>
          </span>
        )}
      </div>
    </Dialog>
  );
}
