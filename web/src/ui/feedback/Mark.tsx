import type { CSSProperties } from "react";

/**
 * A small picture that stands for a brand, or a letter on the brand's colour. Only decoration: the
 * name stands beside it.
 */
export function Mark(props: {
  /** `plain`: its shape is filled with the colour of text. */
  image?: { readonly url: string; readonly plain: boolean } | undefined;
  /** Shown without an image; empty: the place is only kept. */
  letter: string;
  /** Of the brand's colour, in degrees. */
  hue: number;
}) {
  const { image, letter, hue } = props;
  if (image === undefined) {
    if (letter === "") return <span aria-hidden className="size-4 shrink-0" />;
    // A variable, because the lightness that white letters need is the style sheet's.
    const style = { "--hue": String(hue) } as CSSProperties; // React passes variables on
    return (
      <span
        aria-hidden
        style={style}
        className="brand-letter inline-flex size-4 shrink-0 items-center justify-center rounded-inner text-[10px] leading-none font-semibold"
      >
        {letter}
      </span>
    );
  }
  if (!image.plain) {
    return <img aria-hidden alt="" src={image.url} className="size-4 shrink-0" />;
  }
  const mask = `url("${image.url}") center / contain no-repeat`;
  return <span aria-hidden style={{ mask }} className="inline-block size-4 shrink-0 bg-ink" />;
}
