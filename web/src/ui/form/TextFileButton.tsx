import { FileUp } from "lucide-react";
import { useRef } from "react";
import { Button } from "#ui/controls/Button.tsx";
import { useSetFormValue } from "./Field.tsx";

/** The most bytes that a character takes in UTF-8. */
const characterBytesMax = 4;

/** A button that reads a text file into the field of a form. */
export function TextFileButton(props: {
  /** The name of the field. */
  readonly name: string;
  readonly label: string;
  /** The kinds of file that the browser offers, as of an `input`. */
  readonly accept: string;
  /** The longest text that the field takes, in characters. */
  readonly max: number;
}) {
  const { name, label, accept, max } = props;
  const set = useSetFormValue();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div>
      <input
        ref={picker}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          // A file that is too long is cut one character beyond the limit, which is then reported.
          void file
            ?.slice(0, characterBytesMax * (max + 1))
            .text()
            .then((text) => set(name, text.slice(0, max + 1)));
        }}
      />
      <Button
        size="sm"
        icon={<FileUp size={14} aria-hidden />}
        onClick={() => picker.current?.click()}
      >
        {label}
      </Button>
    </div>
  );
}
