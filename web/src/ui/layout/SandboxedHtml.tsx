import { useToken } from "./use-token.ts";

/**
 * Foreign HTML in a frame that can neither run scripts nor reach the console. `html` must be
 * sanitised nevertheless. The frame takes the colours of the page.
 */
export function SandboxedHtml(props: { html: string; title: string; height: number }) {
  const { html, title, height } = props;
  const ink = useToken("--muted");
  const accent = useToken("--accent-ink");
  const scheme = useToken("color-scheme");
  const style =
    `:root{color-scheme:${scheme}}body{margin:0;display:flex;align-items:center;` +
    `justify-content:center;gap:.4em;min-height:${height}px;color:${ink};background:transparent;` +
    `font:12px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}` +
    `a{color:${accent}}`;
  return (
    <iframe
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcDoc={`<!doctype html><base target="_blank"><style>${style}</style><body>${html}</body>`}
      style={{ height }}
      className="w-full shrink-0 border-t border-line"
    />
  );
}
