/** What the details of a row say of its conversation, its place and the provider's cache. */

import { readCandidates } from "@tollgate/contract/logs/candidates.ts";
import { savedByPromptCache } from "@tollgate/contract/logs/cached-tokens.ts";
import type { ReactNode } from "react";
import type { T, TextKey } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { sayPlacement } from "#widgets/conversations/placement.ts";
import type { LogView } from "./log-view.ts";

type Fact = { readonly label: string; readonly value: ReactNode };

export function conversationFacts(row: LogView, isRoot: boolean, t: T): Fact[] {
  const { conversation_id: id, details } = row;
  const cached = details.cache_tokens ?? 0;
  const saved = savedByPromptCache(details);
  const facts: (Fact | false)[] = [
    row.placement !== "" && { label: t("logs.placement"), value: sayPlacement(row.placement, t) },
    id !== 0 && {
      label: t("logs.conversation"),
      value: (
        <LinkButton size="sm" to="/conversation" search={{ id: String(id) }}>
          {t("logs.conversationTurns")}
        </LinkButton>
      ),
    },
    row.prompt_tokens > 0 &&
      (cached > 0 || row.placement !== "") && {
        label: t("logs.cachedShare"),
        value: (
          <span className="inline-flex flex-wrap items-center gap-1.5">
            {t("logs.percent", { percent: Math.round((cached / row.prompt_tokens) * 100) })}
            {saved > 0 && (
              <Muted>
                {t("logs.cacheSaved")} <QuotaText quota={saved} />
              </Muted>
            )}
          </span>
        ),
      },
    isRoot &&
      row.candidates !== "" && {
        label: t("logs.candidates"),
        value: <Candidates row={row} t={t} />,
      },
  ];
  return facts.filter((fact) => fact !== false);
}

const whys = {
  "cannot-carry": "logs.whyCannotCarry",
  cooldown: "logs.whyCooldown",
  ejected: "logs.whyEjected",
  "issuer-elsewhere": "logs.whyIssuer",
  limit: "logs.whyLimit",
  place: "logs.whyPlace",
  probing: "logs.whyProbing",
  taken: "logs.whyTaken",
  tier: "logs.whyTier",
  tried: "logs.whyTried",
  weight: "logs.whyWeight",
} as const satisfies Readonly<Record<string, TextKey>>;

/** The channels that the call could have gone to, in their order, each with its reason. */
function Candidates({ row, t }: { readonly row: LogView; readonly t: T }) {
  const tried = (row.details.admin_info?.use_channel ?? []).map(Number);
  const listed = readCandidates(row.candidates, { tried, placement: row.placement });
  return (
    <ol className="flex flex-col gap-1" aria-label={t("logs.candidates")}>
      {listed.map(({ id, why }) => (
        <li key={id} className="flex flex-wrap items-center gap-1.5">
          <Badge tone={why === "taken" ? "accent" : "neutral"}>#{id}</Badge>
          <Muted>{t(whys[why])}</Muted>
        </li>
      ))}
    </ol>
  );
}
