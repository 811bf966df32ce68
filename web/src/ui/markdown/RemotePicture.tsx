import { ImageDown } from "lucide-react";
import { createContext, type MouseEvent, useContext, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { ForeignFrame, type PictureReport } from "#ui/layout/ForeignFrame.tsx";

/**
 * Whether pictures of other servers are loaded without a click. The address of a picture carries
 * what a model's answer wants to tell that server, for example the conversation so far.
 */
export const PicturesShown = createContext(false);

/** Tallest picture, and the room for one that is being loaded, in pixels. */
const heightMax = 480;
const heightBefore = 120;

/** What an SVG without a size is drawn as, in pixels. */
const plainSize = { width: 300, height: 150 };

const look = "html,body{margin:0;height:100%}img{display:block;width:100%;height:100%}";

/**
 * A picture of another server: a button with the server's name, and the picture once it was
 * pressed. The picture is in a frame, because the console's policy loads none from elsewhere.
 */
export function RemotePicture(props: { readonly address: URL; readonly alt: string }) {
  const { address, alt } = props;
  const t = useT();
  const [asked, setAsked] = useState(useContext(PicturesShown));
  const [report, setReport] = useState<PictureReport | null>(null);
  if (!asked) {
    const ask = (event: MouseEvent) => {
      // The picture may stand inside a link.
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
      // A click on a picture inside a link is the link's.
      className="pointer-events-none inline-block max-w-full align-bottom"
      onPicture={setReport}
    />
  );
}

/** As large as the picture, but not wider than the text nor taller than `heightMax`. */
function sizeOf(report: PictureReport | null) {
  if (report?.kind !== "loaded") return { height: heightBefore };
  const width = report.width || plainSize.width;
  const height = report.height || plainSize.height;
  const scale = Math.min(1, heightMax / height);
  return { width: Math.round(width * scale), aspectRatio: `${width} / ${height}` };
}

/** As the value of an attribute. */
function quote(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
