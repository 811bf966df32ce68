import { ImageDown } from "lucide-react";
import { createContext, type MouseEvent, useContext, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { ForeignFrame, type PictureReport } from "#ui/layout/ForeignFrame.tsx";

/**
 * Whether pictures from other servers are loaded without a click. The default is no: the address of
 * a picture in a model's answer can carry data to that server, for example the conversation so far.
 */
export const PicturesShown = createContext(false);

/**
 * In pixels: the largest height of a picture, and the height that is reserved while it is loading.
 */
const heightMax = 480;
const heightBefore = 120;

/** Size in pixels at which an SVG without a size is drawn. */
const plainSize = { width: 300, height: 150 };

const look = "html,body{margin:0;height:100%}img{display:block;width:100%;height:100%}";

/**
 * A picture from another server: first a button that names the server; a click on it loads the
 * picture. The picture is in a frame, because the console's policy forbids pictures from other
 * servers.
 */
export function RemotePicture(props: { readonly address: URL; readonly alt: string }) {
  const { address, alt } = props;
  const t = useT();
  const [asked, setAsked] = useState(useContext(PicturesShown));
  const [report, setReport] = useState<PictureReport | null>(null);
  if (!asked) {
    const ask = (event: MouseEvent) => {
      // The button may be inside a link, which this click must not follow.
      event.preventDefault();
      event.stopPropagation();
      setAsked(true);
    };
    return (
      <button type="button" className="markdown-picture" title={address.href} onClick={ask}>
        <ImageDown size={15} aria-hidden />
        {alt !== "" && <span>{alt}</span>}
        <span>{t("ui.loadPicture", { host: address.host })}</span>
      </button>
    );
  }
  if (report?.kind === "failed") {
    return (
      <span>
        {t("ui.pictureFailed", { host: address.host })}{" "}
        <Link href={address.href}>{alt === "" ? address.host : alt}</Link>
      </span>
    );
  }
  return (
    <ForeignFrame
      html={`<img src="${quote(address.href)}" alt="${quote(alt)}" referrerpolicy="no-referrer">`}
      look={look}
      title={alt === "" ? t("ui.pictureFrom", { host: address.host }) : alt}
      style={sizeOf(report)}
      // Lets clicks through, so that they reach a link around the picture.
      className="pointer-events-none inline-block max-w-full align-bottom"
      onPicture={setReport}
    />
  );
}

/**
 * Computes the frame's size: that of the picture, but no higher than `heightMax` and no wider than
 * the text.
 */
function sizeOf(report: PictureReport | null) {
  if (report?.kind !== "loaded") return { height: heightBefore };
  const width = report.width || plainSize.width;
  const height = report.height || plainSize.height;
  const scale = Math.min(1, heightMax / height);
  return { width: Math.round(width * scale), aspectRatio: `${width} / ${height}` };
}

/** Escapes a text for use in an HTML attribute. */
function quote(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
