import { useEffect, useState } from "react";
import type { ColouredLine } from "./highlight.ts";

/** Code with more characters than this stays plain: colouring it would block the page. */
const highlightUpTo = 40_000;

/** Shows code: plain immediately, coloured when the highlighter is loaded. */
export function HighlightedCode(props: { code: string; language: string | undefined }) {
  const { code, language } = props;
  const [coloured, setColoured] = useState<{
    readonly code: string;
    readonly lines: readonly ColouredLine[];
  } | null>(null);
  useEffect(() => {
    if (language === undefined || code.length > highlightUpTo) return undefined;
    let wanted = true;
    void import("./highlight.ts")
      .then(({ highlight }) => highlight(code, language))
      .then((lines) => {
        if (wanted && lines !== null) setColoured({ code, lines });
      })
      // If the highlighter cannot be loaded, the code stays plain.
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [code, language]);
  if (coloured === null || coloured.code !== code) return <code>{code}</code>;
  return (
    <code>
      {coloured.lines.map((line, number) => (
        // Lines and tokens have no other identity than their index, and the code does not change.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={number}>
          {line.map((part, place) => (
            // oxlint-disable-next-line react/no-array-index-key
            <span
              key={place}
              style={part.colour === undefined ? undefined : { color: part.colour }}
            >
              {part.text}
            </span>
          ))}
          {number < coloured.lines.length - 1 && "\n"}
        </span>
      ))}
    </code>
  );
}
