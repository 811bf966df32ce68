import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";

/**
 * The channels that a call was tried on, in order. The last of them answered, or was the last to
 * fail.
 */
export function RetryPath(props: {
  channels: readonly string[];
  /** Shown in place of the last channel's number. */
  last?: ReactNode;
  /** Whether channels are shown as badges, which need more room. */
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
        // The index may be part of the key, because a channel may occur twice and the order never
        // changes.
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
