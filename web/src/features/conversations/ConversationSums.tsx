import type { SharedConversation } from "@tollgate/contract/endpoints/conversations.ts";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** What a conversation has come to: its turns, their cost, and what caches and moves made of it. */
export function ConversationSums(props: {
  readonly sums: SharedConversation["sums"];
  readonly isCut: boolean;
}) {
  const { sums, isCut } = props;
  const t = useT();
  return (
    <>
      {isCut && <Banner tone="info" title={t("conversations.cut", { count: sums.calls })} />}
      <FigureGrid figures={figuresOf(sums, t)} />
    </>
  );
}

function figuresOf(sums: SharedConversation["sums"], t: T) {
  const { calls, cached_tokens, completion_tokens, failures, prompt_tokens } = sums;
  const share = prompt_tokens === 0 ? 0 : Math.round((cached_tokens / prompt_tokens) * 100);
  return [
    {
      name: t("conversations.count"),
      value: calls.toLocaleString("en-US"),
      note: failures === 0 ? t("conversations.noErrors") : t("conversations.errors", { failures }),
    },
    {
      name: t("conversations.cost"),
      value: <QuotaText quota={sums.quota} />,
      note: `${showTime(sums.first_at, "–")} – ${showTime(sums.last_at, "–")}`,
    },
    {
      name: t("conversations.input"),
      value: prompt_tokens.toLocaleString("en-US"),
      note: t("conversations.output", { output: completion_tokens.toLocaleString("en-US") }),
    },
    {
      name: t("conversations.cached"),
      value: t("conversations.percent", { percent: share }),
      note: t("conversations.ofInput"),
    },
    {
      name: t("conversations.saved"),
      value: <QuotaText quota={sums.saved_quota} />,
      note: t("conversations.savedNote"),
    },
    {
      name: t("conversations.lost"),
      value: <QuotaText quota={sums.moved_quota} />,
      note: t("conversations.lostNote"),
    },
  ];
}
