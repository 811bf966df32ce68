import { Pause, Play } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { FrontRoom } from "#ui/layout/Front.tsx";
import { Lane, LaneNote, Ticket } from "#ui/layout/Lane.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { type CallSource, type PassedCall, showSixDigits, tokensText } from "./passed-call.ts";
import type { LaneEntry } from "./use-lane.ts";

/** The lane of the last calls: each with its model, its tokens and its charge to six digits. */
export function PassingCalls(props: {
  source: CallSource;
  /** Undefined: the calls are not read yet. */
  entries: readonly LaneEntry[] | undefined;
  chosen: PassedCall | null;
  onChoose: (call: PassedCall) => void;
  isPassing: boolean;
  /** The model and the pieces so far of the call that is passing. */
  passing: { readonly model: string; readonly pieces: number };
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
}) {
  const { source, entries, chosen, onChoose, isPassing, passing, isPaused, onPause } = props;
  const t = useT();
  return (
    <section aria-labelledby="passing" className="flex flex-col gap-4">
      <FrontRoom>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 id="passing" className="text-xl font-semibold">
            {source === "own" ? t("home.ownCalls") : t("home.passingCalls")}
          </h2>
          {entries !== undefined && (
            <>
              <SourceBadge source={source} isPaused={isPaused} />
              <span className="text-sm">
                <Muted>{sourceText(source, t)}</Muted>
              </span>
            </>
          )}
          <span className="ml-auto flex items-center gap-3">
            {source === "own" && <Link to="/log">{t("home.allCalls")}</Link>}
            <Button
              size="sm"
              icon={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
              onClick={() => onPause(!isPaused)}
            >
              {isPaused ? t("home.resume") : t("home.pause")}
            </Button>
          </span>
        </div>
      </FrontRoom>
      <Lane
        aria-label={t("home.passingCalls")}
        isOpen={isPassing}
        first={entries === undefined ? undefined : (entries[0]?.key ?? "")}
      >
        {entries?.length === 0 && (
          <LaneNote>
            <Muted>{t("home.noCalls")}</Muted>
          </LaneNote>
        )}
        {entries?.map(({ key, call }) =>
          call === null ? (
            <Ticket
              key={key}
              isChosen={false}
              onChoose={() => {}}
              isPassing
              head={<ModelName model={passing.model} />}
              foot={<Passing pieces={passing.pieces} />}
            />
          ) : (
            <Ticket
              key={key}
              isChosen={chosen?.id === call.id}
              onChoose={() => onChoose(call)}
              head={<ModelName model={call.model} />}
              foot={<Charged call={call} />}
            />
          ),
        )}
        {entries === undefined && <LaneNote />}
      </Lane>
    </section>
  );
}

function SourceBadge({ source, isPaused }: { source: CallSource; isPaused: boolean }) {
  const t = useT();
  if (source === "recording") return <Badge tone="info">{t("home.recording")}</Badge>;
  return (
    <Badge
      tone={isPaused ? "neutral" : "success"}
      icon={<LiveDot tone={isPaused ? "neutral" : "success"} still={isPaused} />}
    >
      {isPaused ? t("home.paused") : t("home.live")}
    </Badge>
  );
}

function sourceText(source: CallSource, t: T): string {
  switch (source) {
    case "demo":
      return t("home.sourceDemo");
    case "own":
      return t("home.sourceOwn");
    case "recording":
      return t("home.sourceRecording");
  }
}

function ModelName({ model }: { model: string }) {
  return (
    <>
      <ModelMark model={model} />
      <span className="truncate text-sm font-medium">{model}</span>
    </>
  );
}

function Charged({ call: { charge, input, output, quota } }: { call: PassedCall }) {
  const t = useT();
  const { quotaPerUnit } = useQuotaDisplay();
  const units = charge?.prices?.QuotaPerUnit;
  return (
    <>
      <span className="font-mono text-lg font-semibold tabular-nums">
        {showSixDigits(quota, units === undefined ? quotaPerUnit : Number(units))}
      </span>
      <span className="text-xs tabular-nums">
        <Muted>{tokensText({ input, output }, t)}</Muted>
      </span>
    </>
  );
}

function Passing({ pieces }: { pieces: number }) {
  const t = useT();
  return (
    <>
      <span className="font-mono text-lg font-semibold">
        <Muted>{t("home.passing")}</Muted>
      </span>
      <span className="text-xs tabular-nums">
        <Muted>{t("home.pieces", { count: pieces })}</Muted>
      </span>
    </>
  );
}
