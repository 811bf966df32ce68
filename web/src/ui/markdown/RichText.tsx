import { Square, SquareCheck } from "lucide-react";
import remarkCjkFriendly from "remark-cjk-friendly";
import { type ComponentProps, isValidElement, type ReactNode } from "react";
import {
  type Components,
  defaultRemarkPlugins,
  Streamdown,
  useIsCodeFenceIncomplete,
} from "streamdown";
import { useT } from "#i18n/t.ts";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { PicturesShown, RemotePicture } from "./RemotePicture.tsx";
import "./markdown.css";

/**
 * The last plugin handles marks beside Chinese punctuation: without it,
 * `**注意：**网关` would show its asterisks.
 */
const remarkPlugins = [...Object.values(defaultRemarkPlugins), remarkCjkFriendly];

/** The kit's own components, in place of the library's, which bring their own colours and texts. */
const components = {
  a: Anchor,
  blockquote: "blockquote",
  code: "code",
  h1: "h1",
  h2: "h2",
  h3: "h3",
  h4: "h4",
  h5: "h5",
  h6: "h6",
  hr: "hr",
  img: Picture,
  inlineCode: InlineCode,
  input: TaskMark,
  li: "li",
  ol: "ol",
  p: "p",
  picture: OnlyPicture,
  pre: Fence,
  source: Nothing,
  strong: "strong",
  sub: "sub",
  sup: "sup",
  table: Table,
  tbody: "tbody",
  td: "td",
  th: "th",
  thead: "thead",
  tr: "tr",
  ul: "ul",
};

/**
 * Renders Markdown. Apart from `Markdown`, because the renderer is large and loaded only with the
 * first text.
 */
export function RichText(props: { text: string; streaming: boolean; pictures: "ask" | "show" }) {
  const { text, streaming, pictures } = props;
  return (
    <PicturesShown value={pictures === "show"}>
      <Streamdown
        className="markdown"
        mode={streaming ? "streaming" : "static"}
        isAnimating={streaming}
        // Safe cast: the type gives each component the props of all tags, but it only gets those of
        // its own.
        components={components as unknown as Components}
        remarkPlugins={remarkPlugins}
        controls={false}
        linkSafety={{ enabled: false }}
      >
        {text}
      </Streamdown>
    </PicturesShown>
  );
}

function InlineCode(props: ComponentProps<"code">) {
  return <code>{props.children}</code>;
}

function Anchor(props: ComponentProps<"a">) {
  // Every link opens outside of the console, because a model's text must not link into it.
  return props.href === undefined ? (
    <span>{props.children}</span>
  ) : (
    <Link href={props.href}>{props.children}</Link>
  );
}

function Picture(props: ComponentProps<"img">) {
  const { src = "", alt = "" } = props;
  const address = URL.parse(src, location.href);
  if (address === null || !/^https?:$/.test(address.protocol)) return <span>{alt}</span>;
  // The key is the address, so that the user's click allows only this picture, not another one that
  // takes its place while the answer grows.
  return <RemotePicture key={address.href} address={address} alt={alt} />;
}

/**
 * Draws only the `img` of a `picture`: its `<source srcset>` in raw HTML would load a picture
 * without asking.
 */
function OnlyPicture(props: ComponentProps<"picture">) {
  return <span>{props.children}</span>;
}

function Nothing() {
  return null;
}

/** The checkbox of a task list; the reader cannot change it. */
function TaskMark(props: ComponentProps<"input">) {
  const t = useT();
  const done = props.checked === true;
  const Icon = done ? SquareCheck : Square;
  return (
    <Icon
      size={15}
      role="img"
      aria-label={done ? t("ui.taskDone") : t("ui.taskOpen")}
      className="markdown-task"
    />
  );
}

function Table(props: ComponentProps<"table">) {
  return (
    // A scrolling element must be reachable with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="markdown-table" tabIndex={0}>
      <table>{props.children}</table>
    </div>
  );
}

/**
 * A code block. It is coloured only when it is complete: colouring it after every new word would
 * take seconds.
 */
function Fence(props: ComponentProps<"pre">) {
  const open = useIsCodeFenceIncomplete();
  const { code, language } = readFence(props.children);
  return (
    <div className="markdown-code">
      <CodeBlock code={code} language={language} colours={!open} />
    </div>
  );
}

/**
 * Reads the code and its language from the element that the renderer makes: `<code
 * class="language-python">…</code>`.
 */
function readFence(children: ReactNode): { code: string; language: string | undefined } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) {
    return { code: "", language: undefined };
  }
  const { className = "", children: inner } = children.props;
  const code = Array.isArray(inner) ? inner.join("") : typeof inner === "string" ? inner : "";
  return {
    code: code.replace(/\n$/, ""),
    language: /language-([^\s]+)/.exec(className)?.[1],
  };
}
