import type { CSSProperties } from "react";

/**
 * A small picture of a brand, or a letter on the brand's colour. It is decoration only: the name is
 * beside it.
 */
export function Mark(props: {
  /** `plain`: the picture has no colours of its own and takes that of the text. */
  image?: { readonly url: string; readonly plain: boolean } | undefined;
  /** Shown if there is no image; empty: the place stays blank. */
  letter: string;
  /** Hue of the brand's colour, in degrees. */
  hue: number;
}) {
  const { image, letter, hue } = props;
  if (image === undefined) {
    if (letter === "") return <span aria-hidden className="size-4 shrink-0" />;
    // A CSS variable, because the style sheet computes the lightness that white letters need.
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
