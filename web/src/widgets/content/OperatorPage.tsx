import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { OutsidePage, SandboxedPage } from "#ui/layout/SandboxedPage.tsx";
import { Markdown } from "#ui/markdown/Markdown.tsx";
import { useCleanHtml } from "./clean-html.ts";
import type { OperatorText } from "./operator-text.ts";

/**
 * Shows content that root wrote. HTML is sanitised and shown in a frame without scripts; a page of
 * another server is shown in a frame under an origin of its own. Neither can act with the console's
 * origin.
 */
export function OperatorPage(props: {
  readonly content: Exclude<OperatorText, { kind: "none" }>;
  readonly title: string;
  /** Height of the frame, as a CSS value; longer content scrolls inside. */
  readonly height: string;
}) {
  const { content, title, height } = props;
  const t = useT();
  switch (content.kind) {
    case "address":
      return (
        <div className="flex flex-col">
          <OutsidePage address={content.address} title={title} height={height} />
          <p className="px-4 py-2 text-xs">
            <Link href={content.address}>{t("widgets.openOutside")}</Link>
          </p>
        </div>
      );
    case "html":
      return <CleanPage html={content.html} title={title} height={height} />;
    case "markdown":
      return (
        <div className="mx-auto w-full max-w-240 px-5 py-6 max-md:px-4">
          <Markdown text={content.text} pictures="show" />
        </div>
      );
  }
}

function CleanPage(props: {
  readonly html: string;
  readonly title: string;
  readonly height: string;
}) {
  const { html, title, height } = props;
  const clean = useCleanHtml(html);
  if (clean === null) return <Skeleton height={200} />;
  return <SandboxedPage html={clean} title={title} height={height} />;
}
