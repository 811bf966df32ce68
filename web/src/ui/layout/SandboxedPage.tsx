import { ForeignFrame } from "./ForeignFrame.tsx";
import { useToken } from "./use-token.ts";

/**
 * A page of foreign HTML, in a frame that cannot reach the console. `html` must be sanitised. A
 * long page scrolls inside the frame.
 */
export function SandboxedPage(props: {
  html: string;
  title: string;
  /** The frame's height as a CSS length. */
  height: string;
}) {
  const { html, title, height } = props;
  const ink = useToken("--ink");
  const line = useToken("--line");
  const accent = useToken("--accent-ink");
  const scheme = useToken("color-scheme");
  const look =
    `:root{color-scheme:${scheme}}body{margin:0 auto;padding:24px 20px;max-width:60rem;` +
    `color:${ink};background:transparent;overflow-wrap:anywhere;` +
    `font:14px/1.65 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}` +
    `a{color:${accent}}img,video{max-width:100%;height:auto}hr{border:0;border-top:1px solid ${line}}`;
  return (
    <ForeignFrame
      html={html}
      look={look}
      title={title}
      style={{ height }}
      className="block w-full"
    />
  );
}

/**
 * A page of another server, in a frame. It may run its own scripts but gets an opaque origin, so
 * that even a page from the console's own address cannot reach the console.
 */
export function OutsidePage(props: { address: string; title: string; height: string }) {
  const { address, title, height } = props;
  return (
    <iframe
      title={title}
      sandbox="allow-forms allow-popups allow-popups-to-escape-sandbox allow-scripts"
      referrerPolicy="no-referrer"
      src={address}
      style={{ height }}
      className="block w-full"
    />
  );
}
