import { useToken } from "./use-token.ts";

/**
 * A page of HTML that somebody else wrote, in a frame that can neither run scripts nor reach the
 * console. `html` has to be sanitised all the same. What is longer than the frame scrolls in it.
 */
export function SandboxedPage(props: {
  html: string;
  title: string;
  /** In CSS. */
  height: string;
}) {
  const { html, title, height } = props;
  const ink = useToken("--ink");
  const line = useToken("--line");
  const accent = useToken("--accent-ink");
  const scheme = useToken("color-scheme");
  const style =
    `:root{color-scheme:${scheme}}body{margin:0 auto;padding:24px 20px;max-width:60rem;` +
    `color:${ink};background:transparent;overflow-wrap:anywhere;` +
    `font:14px/1.65 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}` +
    `a{color:${accent}}img,video{max-width:100%;height:auto}hr{border:0;border-top:1px solid ${line}}`;
  return (
    <iframe
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcDoc={`<!doctype html><base target="_blank"><style>${style}</style><body>${html}</body>`}
      style={{ height }}
      className="block w-full"
    />
  );
}

/**
 * A page from elsewhere. It may run its own scripts, but has an origin of its own that is nobody's:
 * not even a page of the console's own address could reach the console from here.
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
