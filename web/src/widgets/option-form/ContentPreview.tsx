import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { useDeferredValue } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { SandboxedHtml } from "#ui/layout/SandboxedHtml.tsx";
import { Markdown } from "#ui/markdown/Markdown.tsx";
import { useCleanHtml } from "#widgets/content/clean-html.ts";
import { OperatorPage } from "#widgets/content/OperatorPage.tsx";
import { readOperatorText } from "#widgets/content/operator-text.ts";

/** The height of an HTML page in the preview, in CSS. */
const pageHeight = "240px";
/** The height of the footer's preview in pixels. */
const footerHeight = 56;

/**
 * The place where visitors see a text, which decides how it is read. The footer is always HTML.
 * Elsewhere a text is Markdown unless it begins with a tag; a text that is only an address becomes
 * a frame on a page, and a link in a notice.
 */
type ContentPlace = NonNullable<Field["shownIn"]>;

/**
 * Shows a text as visitors will see it, before it is saved. Scripts in it run neither here nor on
 * the visitors' pages.
 */
export function ContentPreview(props: {
  readonly text: string;
  readonly label: string;
  readonly place: ContentPlace;
}) {
  const { label, place } = props;
  const t = useT();
  const text = useDeferredValue(props.text).trim();
  return (
    <section
      aria-label={t("settings.previewOf", { name: label })}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <span className="text-xs">
        <Muted>{t("settings.preview")}</Muted>
      </span>
      <Preview text={text} label={label} place={place} />
    </section>
  );
}

function Preview(props: {
  readonly text: string;
  readonly label: string;
  readonly place: ContentPlace;
}) {
  const { text, label, place } = props;
  const t = useT();
  if (place === "footer") return <FooterPreview html={text} label={label} />;
  const content = readOperatorText(text);
  switch (content.kind) {
    case "none":
      return null;
    case "address":
      if (place === "notice") return <Markdown text={text} pictures="show" />;
      return <Muted>{t("settings.previewFrame", { address: content.address })}</Muted>;
    case "html":
      return <OperatorPage content={content} title={label} height={pageHeight} />;
    case "markdown":
      // The preview has little room, so Markdown is shown without the margins of a whole page.
      return <Markdown text={content.text} pictures="show" />;
  }
}

function FooterPreview({ html, label }: { readonly html: string; readonly label: string }) {
  return <SandboxedHtml html={useCleanHtml(html) ?? ""} title={label} height={footerHeight} />;
}
