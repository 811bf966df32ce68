import { useT } from "#i18n/t.ts";
import { CopyButton } from "./CopyButton.tsx";
import { HighlightedCode } from "./HighlightedCode.tsx";

/** Shows code or a command, with the name of its language and a button to copy it. */
export function CodeBlock(props: {
  code: string;
  language?: string | undefined;
  copy?: boolean | undefined;
  /** The CSS length beyond which the code scrolls. */
  maxHeight?: string | undefined;
  /** Whether to colour the code; false while the code is still arriving. */
  colours?: boolean | undefined;
}) {
  const { code, language, copy = true, maxHeight, colours = true } = props;
  const t = useT();
  return (
    <div className="min-w-0 overflow-hidden rounded border border-line bg-sunken">
      {(copy || language !== undefined) && (
        <div className="flex min-h-9 items-center justify-between border-b border-line pr-1 pl-3">
          <span className="font-mono text-xs text-muted">{language}</span>
          {copy && <CopyButton text={code} label={t("ui.copy")} variant="ghost" iconOnly />}
        </div>
      )}
      <pre
        // A scrolling region must be reachable with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={language ?? t("ui.code")}
        role="group"
        style={{ maxHeight }}
        className="overflow-auto px-3 py-2.5 font-mono text-sm leading-5 focus-visible:-outline-offset-2"
      >
        <HighlightedCode code={code} language={colours ? language : undefined} />
      </pre>
    </div>
  );
}
