import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";

/** The channels of a call's attempts in order; the last one answered, or failed last. */
export function RetryPath(props: {
  channels: readonly string[];
  /** Replaces the number of the last channel. */
  last?: ReactNode;
  /** Shows the channels' names too, where there is room. */
  chips?: boolean;
}) {
  const { channels, last, chips = false } = props;
  const t = useT();
  if (channels.length === 0) return <Muted>–</Muted>;
  return (
    <ol
      aria-label={t("logs.retryPath")}
      className="inline-flex flex-wrap items-center gap-0.5 tabular-nums"
    >
      {channels.map((channel, index) => (
        // The same channel may have been tried twice; the order never changes.
        <li key={`${index}-${channel}`} className="inline-flex items-center gap-0.5">
          {index > 0 && (
            <Muted>
              <ChevronRight size={12} aria-hidden />
            </Muted>
          )}
          {chips ? (
            <Badge tone={index === channels.length - 1 ? "accent" : "neutral"}>#{channel}</Badge>
          ) : index < channels.length - 1 ? (
            <Muted>
              <s>#{channel}</s>
            </Muted>
          ) : (
            (last ?? <span>#{channel}</span>)
          )}
        </li>
      ))}
    </ol>
  );
}
