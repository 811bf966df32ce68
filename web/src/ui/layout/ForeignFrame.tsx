import { type CSSProperties, useEffect, useRef } from "react";

/** The result of loading a picture inside the frame; sizes in pixels. */
export type PictureReport =
  | { readonly kind: "loaded"; readonly width: number; readonly height: number }
  | { readonly kind: "failed" };

/**
 * Foreign HTML in a frame. The frame has a page of its own (`public/frame.html`), because the
 * console's policy does not load foreign pictures. Its origin is opaque, and only its own script
 * runs. `html` must be sanitised nevertheless.
 */
export function ForeignFrame(props: {
  readonly html: string;
  /** A style sheet that is added to the page. */
  readonly look: string;
  readonly title: string;
  readonly style: CSSProperties;
  readonly className: string;
  readonly onPicture?: ((report: PictureReport) => void) | undefined;
}) {
  const { html, look, title, style, className, onPicture } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // The frame's origin is opaque, so no narrower target can be named.
    const send = () => frame.current?.contentWindow?.postMessage({ html, style: look }, "*");
    const listen = ({ source, data }: MessageEvent<unknown>) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const message = readMessage(data);
      if (message === "ready") send();
      else if (message !== null) onPicture?.(message);
    };
    window.addEventListener("message", listen);
    // A frame that is already loaded does not report it again, so the HTML is sent at once as well.
    send();
    return () => window.removeEventListener("message", listen);
  }, [html, look, onPicture]);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox allow-scripts"
      referrerPolicy="no-referrer"
      src="/frame.html"
      style={style}
      className={className}
    />
  );
}

/** The message of `public/frame.js`; null: it is unknown. */
function readMessage(data: unknown): "ready" | PictureReport | null {
  if (typeof data !== "object" || data === null) return null;
  if ("ready" in data) return "ready";
  if (!("picture" in data)) return null;
  if (data.picture !== "load") return { kind: "failed" };
  const sizeOf = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);
  return {
    kind: "loaded",
    width: sizeOf("width" in data ? data.width : 0),
    height: sizeOf("height" in data ? data.height : 0),
  };
}
