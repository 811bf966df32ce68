import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";

/** What a text does, or what is wrong with it; null: it is empty, or the editor itself says so. */
export type Check = {
  readonly tone: "danger" | "success" | "warning";
  readonly text: string;
} | null;

/**
 * Stands below the editor of a mapping or override: while the editor is empty, a button that fills
 * in an example; afterwards what the text does, or what is wrong with it.
 */
export function EditorCheck(props: {
  /** The editor's name, for screen readers. */
  label: string;
  value: string;
  check: Check;
  example: object;
  onChange: (value: string) => void;
}) {
  const { label, value, check, example, onChange } = props;
  const t = useT();
  const text = JSON.stringify(example, null, 2);
  const shown = t("ui.fillExample", { example: JSON.stringify(example) });
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-xs">
      <span role="status" className="min-w-0 break-words">
        {check !== null && <Toned tone={check.tone}>{check.text}</Toned>}
      </span>
      {value.trim() === "" && (
        <Button
          size="sm"
          variant="ghost"
          aria-label={`${shown} · ${label}`}
          onClick={() => onChange(text)}
        >
          <span className="block max-w-[calc(100vw-4rem)] truncate font-mono">{shown}</span>
        </Button>
      )}
    </div>
  );
}
