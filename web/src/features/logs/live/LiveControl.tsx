import { Pause, Play } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Tone } from "#ui/tone.ts";
import type { LiveState } from "./live-page.ts";
import { tailIntervalMs } from "#features/logs/logs.api.ts";

/**
 * The button that starts and pauses the live tail (new rows appear by themselves), and its present
 * state.
 */
export function LiveControl(props: { state: LiveState; onChange: (live: boolean) => void }) {
  const { state, onChange } = props;
  const t = useT();
  const isOff = state === "off";
  return (
    <span className={isOff ? "inline-flex items-center" : "inline-flex items-center gap-2"}>
      <span role="status" className="inline-flex items-center gap-1.5 text-sm">
        {!isOff && <LiveDot tone={toneOf(state)} still={state !== "on"} />}
        <Muted>{sayState(state, t)}</Muted>
      </span>
      <Button
        icon={isOff ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
        onClick={() => onChange(isOff)}
        title={t("logs.liveTip", { seconds: tailIntervalMs / 1_000 })}
      >
        {isOff ? t("logs.liveStart") : t("logs.livePause")}
      </Button>
    </span>
  );
}

function toneOf(state: LiveState): Tone {
  if (state === "on") return "success";
  return state === "broken" ? "danger" : "neutral";
}

function sayState(state: LiveState, t: T): string {
  const texts: Readonly<Record<LiveState, string>> = {
    off: "",
    on: t("logs.liveOn"),
    broken: t("logs.liveBroken"),
    hidden: t("logs.liveHidden"),
    page: t("logs.livePage"),
    ended: t("logs.liveEnded"),
  };
  return texts[state];
}
