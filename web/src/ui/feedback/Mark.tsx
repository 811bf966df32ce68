import type { CSSProperties } from "react";

/**
 * The mark of a brand: a small picture, or a letter on the brand's colour. Decoration only, because
 * the brand's name is beside it.
 */
export function Mark(props: {
  /**
   * `plain`: the picture is drawn in the colour of the text, because it has no colours of its own.
   */
  image?: { readonly url: string; readonly plain: boolean } | undefined;
  /** The letter that is shown without an image; empty: the place stays blank. */
  letter: string;
  /** The hue of the brand's colour, in degrees. */
  hue: number;
}) {
  const { image, letter, hue } = props;
  if (image === undefined) {
    if (letter === "") return <span aria-hidden className="size-4 shrink-0" />;
    // Only the hue is passed, as a CSS variable: the style sheet computes a lightness on which white
    // letters are readable. Safe cast: the type does not know CSS variables.
    const style = { "--hue": String(hue) } as CSSProperties;
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
