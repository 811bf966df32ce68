import { ImagePlus, SendHorizontal, Square } from "lucide-react";
import { type RefObject, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { type Question, textMax } from "./conversation.ts";
import { keepDraft, readDraft } from "./draft.ts";
import {
  choosePictures,
  pictureBytesMax,
  picturesMax,
  pictureTypes,
  readPicture,
  type Refused,
} from "./pictures.ts";
import { Pictures } from "./QuestionView.tsx";
import { isSendKey } from "./send-key.ts";

/**
 * The input for the next question. Enter sends it, Escape stops the answer that is being written.
 */
export function Composer(props: {
  box: RefObject<HTMLTextAreaElement | null>;
  writing: boolean;
  /** The reason why no question can be sent; null: one can. */
  obstacle: string | null;
  /** Sends the question. False: it was refused and stays in the input. */
  onSend: (question: Pick<Question, "content" | "images">) => boolean;
  onStop: () => void;
}) {
  const { box, writing, obstacle, onSend, onStop } = props;
  const t = useT();
  const [text, setText] = useState(readDraft);
  const { images, setImages, add } = usePictures();
  const picker = useRef<HTMLInputElement | null>(null);
  const isEmpty = text.trim() === "" && images.length === 0;
  const canSend = !writing && obstacle === null && !isEmpty;

  function change(next: string): void {
    setText(next);
    keepDraft(next);
  }

  function send(): void {
    // While an answer is being written, no warning is shown: the user sees the answer, and Enter
    // does nothing.
    if (!writing && !isEmpty && obstacle !== null) toast({ tone: "warning", title: obstacle });
    if (!canSend || !onSend({ content: text, images: [...images] })) return;
    change("");
    setImages([]);
  }

  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Pictures
        images={images}
        onRemove={(index) => setImages(images.filter((_, at) => at !== index))}
      />
      <div className="flex items-end gap-2 [&_textarea]:field-sizing-content [&_textarea]:max-h-52 [&_textarea]:min-h-16 [&_textarea]:resize-none">
        <Textarea
          ref={box}
          rows={2}
          aria-label={t("playground.question")}
          placeholder={t("playground.questionPlaceholder")}
          maxLength={textMax}
          value={text}
          onChange={(event) => change(event.target.value)}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            void add(files);
          }}
          onKeyDown={(event) => {
            const { key, shiftKey, altKey, keyCode, nativeEvent } = event;
            const { isComposing } = nativeEvent;
            if (key === "Escape" && writing && !isComposing) onStop();
            if (!isSendKey({ key, shiftKey, altKey, keyCode, isComposing })) return;
            event.preventDefault();
            send();
          }}
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <input
          ref={picker}
          type="file"
          hidden
          multiple
          accept={pictureTypes.join(",")}
          onChange={(event) => {
            void add([...(event.target.files ?? [])]);
            // Empties the input, because choosing the same file again would otherwise fire no
            // change event.
            event.target.value = "";
          }}
        />
        <IconButton
          label={t("playground.addPicture")}
          icon={<ImagePlus size={16} aria-hidden />}
          onClick={() => picker.current?.click()}
        />
        {writing ? (
          <Button icon={<Square size={14} aria-hidden />} onClick={onStop}>
            {t("playground.stop")}
          </Button>
        ) : (
          <Button
            type="submit"
            variant="primary"
            icon={<SendHorizontal size={14} aria-hidden />}
            disabled={!canSend}
            title={obstacle ?? undefined}
          >
            {t("playground.send")}
          </Button>
        )}
      </div>
    </form>
  );
}

function usePictures() {
  const t = useT();
  const [images, setImages] = useState<readonly string[]>([]);

  async function add(files: readonly File[]): Promise<void> {
    const { taken, refused } = choosePictures(files, images.length);
    const reasons: Record<Refused, string> = {
      count: t("playground.pictureCount", { count: picturesMax }),
      size: t("playground.pictureSize", { size: pictureBytesMax / 1024 / 1024 }),
      type: t("playground.pictureType"),
    };
    for (const reason of refused) toast({ tone: "warning", title: reasons[reason] });
    try {
      const read = await Promise.all(taken.map(readPicture));
      setImages((present) => [...present, ...read].slice(0, picturesMax));
    } catch (error) {
      toastError(error);
    }
  }

  return { images, setImages, add };
}
