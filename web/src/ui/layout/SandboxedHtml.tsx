import { useEffect, useState } from "react";

/**
 * HTML that somebody else wrote, in a frame that can neither run scripts nor reach the console.
 * `html` has to be sanitised all the same. The frame takes the colours of the page around it.
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

/** The present value of a property of the page's root, which the theme decides. */
function useToken(name: string): string {
  const [value, setValue] = useState(() => readToken(name));
  useEffect(() => {
    const observer = new MutationObserver(() => setValue(readToken(name)));
    observer.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => observer.disconnect();
  }, [name]);
  return value;
}

function readToken(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
