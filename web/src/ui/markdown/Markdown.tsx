import { lazy, Suspense } from "react";

const RichText = lazy(async () => ({ default: (await import("./RichText.tsx")).RichText }));

/**
 * Foreign Markdown, made harmless: it loads nothing from other servers unless the reader asks for
 * it. Shown as plain text until the renderer is loaded.
 */
export function Markdown(props: {
  text: string;
  /**
   * Whether more text will follow. Then unclosed marks are shown as if they were closed, and code
   * is coloured only when its block is complete.
   */
  streaming?: boolean | undefined;
  /**
   * `ask`: a picture from another server is loaded when the reader clicks. `show`: it is loaded
   * immediately; only for texts that root wrote.
   */
  pictures?: "ask" | "show" | undefined;
}) {
  const { text, streaming = false, pictures = "ask" } = props;
  return (
    <div className="min-w-0 text-base leading-6 wrap-anywhere">
      <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
        <RichText text={text} streaming={streaming} pictures={pictures} />
      </Suspense>
    </div>
  );
}
