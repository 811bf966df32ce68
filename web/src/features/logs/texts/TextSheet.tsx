import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { TextBlock } from "#ui/copy/TextBlock.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { prettyText } from "#ui/copy/pretty-text.ts";
import { useTextRules, useTexts } from "./texts.api.ts";

/** The request and the answer of a call, for root. Opened by a right click on its row. */
export function TextSheet(props: { readonly id: number; readonly onClose: () => void }) {
  const { id, onClose } = props;
  const t = useT();
  return (
    <Sheet open width="wide" title={t("logs.texts")} description={`#${id}`} onClose={onClose}>
      <Texts id={id} />
    </Sheet>
  );
}

function Texts({ id }: { readonly id: number }) {
  const t = useT();
  const { data, error, refetch } = useTexts(id);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (!data.stored) return <Nothing />;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Text
        title={t("logs.prompt")}
        copyLabel={t("logs.copyPrompt")}
        text={data.prompt}
        bytes={data.prompt_bytes}
      />
      <Text
        title={t("logs.completion")}
        copyLabel={t("logs.copyCompletion")}
        text={data.completion}
        bytes={data.completion_bytes}
      />
      <p className="text-xs">
        <Muted>{t("logs.textsAudited")}</Muted>
      </p>
    </div>
  );
}

/** Says why there is nothing to read. */
function Nothing() {
  const t = useT();
  const { data: rules } = useTextRules();
  const isOff = rules?.enabled === false;
  return (
    <Banner tone="neutral" title={t("logs.textsNone")}>
      {isOff ? t("logs.textsNoneOff") : t("logs.textsNoneOn")}{" "}
      {isOff && (
        <Link to="/setting" search={{ tab: "operation" }} hash="LogContentEnabled">
          {t("logs.textsSettings")}
        </Link>
      )}
    </Banner>
  );
}

function Text(props: {
  readonly title: string;
  readonly copyLabel: string;
  readonly text: string;
  /** The bytes of the whole text, of which only the beginning may be stored. */
  readonly bytes: number;
}) {
  const { title, copyLabel, text, bytes } = props;
  const t = useT();
  const shown = prettyText(text);
  const isCut = bytes > new TextEncoder().encode(text).length;
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">{title}</h3>
        {text !== "" && <CopyButton text={shown} label={copyLabel} variant="ghost" />}
      </div>
      {text === "" ? (
        <Muted>{t("logs.textEmpty")}</Muted>
      ) : (
        <TextBlock label={title} text={shown} />
      )}
      {isCut && <Muted>{t("logs.textCut", { bytes: bytes.toLocaleString("en-US") })}</Muted>}
    </section>
  );
}
