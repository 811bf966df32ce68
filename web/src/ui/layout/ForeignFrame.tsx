import { type CSSProperties, useEffect, useRef } from "react";
import { below } from "#page/base-path.ts";

/** What the frame reports after it has tried to load a picture; sizes in pixels. */
export type PictureReport =
  | { readonly kind: "loaded"; readonly width: number; readonly height: number }
  | { readonly kind: "failed" };

/**
 * Shows foreign HTML in a frame with a page of its own (`public/frame.html`), because the console's
 * policy forbids pictures from other servers. The page has an opaque origin and runs only its own
 * script. `html` must be sanitised nevertheless.
 */
export function ForeignFrame(props: {
  readonly html: string;
  /** A style sheet that is added to the frame's page. */
  readonly look: string;
  readonly title: string;
  readonly style: CSSProperties;
  readonly className: string;
  readonly onPicture?: ((report: PictureReport) => void) | undefined;
}) {
  const { html, look, title, style, className, onPicture } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // The target is `"*"`, because an opaque origin has no name.
    const send = () => frame.current?.contentWindow?.postMessage({ html, style: look }, "*");
    const listen = ({ source, data }: MessageEvent<unknown>) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const message = readMessage(data);
      if (message === "ready") send();
      else if (message !== null) onPicture?.(message);
    };
    window.addEventListener("message", listen);
    // The document is also sent now, because a frame that is already loaded does not send "ready"
    // again.
    send();
    return () => window.removeEventListener("message", listen);
  }, [html, look, onPicture]);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox allow-scripts"
      referrerPolicy="no-referrer"
      src={below("/frame.html")}
      style={style}
      className={className}
    />
  );
}

/** Reads a message of `public/frame.js`; null: it is not one. */
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
