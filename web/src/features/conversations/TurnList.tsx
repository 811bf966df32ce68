/** The turns of a conversation as a waterfall: each bar begins where the one before has ended. */

import type { SharedTurn } from "@tollgate/contract/endpoints/conversations.ts";
import { showTimeExactly } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { Rows } from "#ui/chart/Rows.tsx";
import { TimeBar } from "#ui/chart/TimeBar.tsx";
import { Link, type LinkTarget } from "#ui/controls/Link.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { sayPlacement } from "#widgets/conversations/placement.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

type Turns<Turn extends SharedTurn> = {
  /** The newest ones, oldest first. */
  readonly turns: readonly Turn[];
  /** How many there are, with those that are not listed. */
  readonly count: number;
  /** Where a turn leads to; absent: nowhere. */
  readonly linkOf?: (turn: Turn) => LinkTarget;
  /** The tools that a turn has called; absent: they are not shown. */
  readonly toolsOf?: (turn: Turn) => readonly string[];
};

export function TurnList<Turn extends SharedTurn>({ turns, count, linkOf, toolsOf }: Turns<Turn>) {
  const t = useT();
  const bars = barsOf(turns);
  const before = count - turns.length;
  return (
    <>
      {before > 0 && (
        <p className="px-4 pt-3 text-sm">
          <Muted>{t("conversations.earlier", { count: before })}</Muted>
        </p>
      )}
      <Rows ordered label={t("conversations.turns")}>
        {turns.map((turn, at) => (
          <TurnRow
            // Turns of one second may be alike in all they tell.
            key={`${at} ${turn.started_at}`}
            turn={turn}
            number={before + at + 1}
            bar={bars[at] ?? { start: 0, length: 0 }}
            link={linkOf?.(turn)}
            tools={toolsOf?.(turn) ?? []}
          />
        ))}
      </Rows>
    </>
  );
}

type Bar = { readonly start: number; readonly length: number };

/** Each begins where the one before has ended: nobody sees how long the client has rested. */
function barsOf(turns: readonly SharedTurn[]): Bar[] {
  // A turn that took no whole second has a bar as well.
  const lengths = turns.map(({ seconds }) => Math.max(0.5, seconds));
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  const bars: Bar[] = [];
  let passed = 0;
  for (const length of lengths) {
    bars.push({ start: passed / whole, length: length / whole });
    passed += length;
  }
  return bars;
}

function TurnRow(props: {
  readonly turn: SharedTurn;
  readonly number: number;
  readonly bar: Bar;
  readonly link: LinkTarget | undefined;
  readonly tools: readonly string[];
}) {
  const { bar, link, number, tools, turn } = props;
  const t = useT();
  const name = t("conversations.turn", { number });
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="font-medium tabular-nums">
          {link === undefined ? name : <Link {...link}>{name}</Link>}
        </span>
        <QuotaText quota={turn.quota} />
        <span className="min-w-0 truncate">{turn.model_name}</span>
        <Muted>{tokensOf(turn, t)}</Muted>
        {tools.length > 0 && <Muted>{t("conversations.tools", { names: tools.join(", ") })}</Muted>}
        {turn.failed && <Badge tone="danger">{t("conversations.failed")}</Badge>}
        {turn.placement !== "" && (
          <Badge tone={turn.moved_quota > 0 ? "warning" : "neutral"}>
            {sayPlacement(turn.placement, t)}
          </Badge>
        )}
        {turn.moved_quota > 0 && (
          <span>
            <Muted>{t("conversations.lost")}</Muted> <QuotaText quota={turn.moved_quota} />
          </span>
        )}
        <span className="tabular-nums sm:ml-auto">
          <Muted>
            {showTimeExactly(turn.started_at)} · {timesOf(turn, t)}
          </Muted>
        </span>
      </div>
      <TimeBar {...bar} tone={turn.failed ? "danger" : "accent"} />
    </div>
  );
}

function tokensOf({ cached_tokens, completion_tokens, prompt_tokens }: SharedTurn, t: T): string {
  return t("conversations.tokens", {
    input: prompt_tokens.toLocaleString("en-US"),
    percent: prompt_tokens === 0 ? 0 : Math.round((cached_tokens / prompt_tokens) * 100),
    output: completion_tokens.toLocaleString("en-US"),
  });
}

/** How long a turn took, in the whole seconds that rows keep, and when its first byte came. */
function timesOf({ first_byte_ms: first, seconds: whole }: SharedTurn, t: T): string {
  const seconds = whole === 0 ? "<1" : String(whole);
  if (first === null) return t("conversations.seconds", { seconds });
  const after = first < 1_000 ? `${first} ms` : `${(first / 1_000).toFixed(1)} s`;
  return t("conversations.secondsFirst", { seconds, first: after });
}
