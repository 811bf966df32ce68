import { useDeferredValue, useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { SandboxedHtml } from "#ui/layout/SandboxedHtml.tsx";
import { Markdown } from "#ui/markdown/Markdown.tsx";

/** Pixels of a page of HTML in the preview, and of a footer. */
const pageHeight = 240;
const footerHeight = 56;

/** What visitors will see of a text, before it is saved. Scripts in it run neither here nor there. */
export function ContentPreview(props: {
  readonly text: string;
  readonly label: string;
  /** Always HTML, as the footer is; else it is Markdown unless it begins with a tag. */
  readonly html: boolean;
}) {
  const { label, html } = props;
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
      <Preview text={text} label={label} html={html} />
    </section>
  );
}

function Preview(props: { readonly text: string; readonly label: string; readonly html: boolean }) {
  const { text, label, html } = props;
  const t = useT();
  if (!html && /^https:\/\/\S+$/.test(text)) {
    return <Muted>{t("settings.previewFrame", { address: text })}</Muted>;
  }
  if (html || text.startsWith("<")) {
    // A footer stands in the middle of its line; a page begins at its top.
    const page = `<div style="align-self:start;width:100%;font-size:14px">${text}</div>`;
    return (
      <CleanHtml
        html={html ? text : page}
        title={label}
        height={html ? footerHeight : pageHeight}
      />
    );
  }
  return <Markdown text={text} />;
}

function CleanHtml(props: {
  readonly html: string;
  readonly title: string;
  readonly height: number;
}) {
  const { html, title, height } = props;
  const [clean, setClean] = useState("");
  useEffect(() => {
    let wanted = true;
    void import("dompurify").then(({ default: purify }) => {
      if (!wanted) return;
      setClean(purify.sanitize(html, { USE_PROFILES: { html: true }, ADD_ATTR: ["target"] }));
    });
    return () => {
      wanted = false;
    };
  }, [html]);
  return <SandboxedHtml html={clean} title={title} height={height} />;
}
