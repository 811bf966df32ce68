import { ForeignFrame } from "./ForeignFrame.tsx";
import { useToken } from "./use-token.ts";

/** Foreign HTML of one line, in a frame that uses the page's colours. `html` must be sanitised. */
export function SandboxedHtml(props: { html: string; title: string; height: number }) {
  const { html, title, height } = props;
  const ink = useToken("--muted");
  const accent = useToken("--accent-ink");
  const scheme = useToken("color-scheme");
  const look =
    `:root{color-scheme:${scheme}}body{margin:0;display:flex;align-items:center;` +
    `justify-content:center;gap:.4em;min-height:${height}px;color:${ink};background:transparent;` +
    `font:12px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}` +
    `a{color:${accent}}`;
  return (
    <ForeignFrame
      html={html}
      look={look}
      title={title}
      style={{ height }}
      className="w-full shrink-0 border-t border-line"
    />
  );
}
