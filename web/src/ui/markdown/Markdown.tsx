import { lazy, Suspense } from "react";

const RichText = lazy(async () => ({ default: (await import("./RichText.tsx")).RichText }));

/** Markdown of others, made harmless. Until its reader has come the text stands there as it is. */
export function Markdown(props: {
  text: string;
  /** More is coming: open marks are closed for show, code is coloured when its block ends. */
  streaming?: boolean | undefined;
}) {
  const { text, streaming = false } = props;
  return (
    <div className="min-w-0 text-base leading-6 wrap-anywhere">
      <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
        <RichText text={text} streaming={streaming} />
      </Suspense>
    </div>
  );
}
