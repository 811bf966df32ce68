import type { Line, LineState } from "@tollgate/contract/endpoints/dashboard.ts";
import { type T, useT } from "#i18n/t.ts";
import { showTime } from "#display/time.ts";
import { HourStrip } from "#ui/chart/HourStrip.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Rows } from "#ui/chart/Rows.tsx";
import type { Tone } from "#ui/tone.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { useLines } from "./dashboard.api.ts";

const tones: Readonly<Record<LineState, Tone>> = {
  up: "success",
  degraded: "warning",
  down: "danger",
  idle: "neutral",
};

/**
 * Line monitoring: whether calls of each group are answered, now and in the last hours. Admins also
 * see which channels are off and why.
 */
export function Lines(props: {
  readonly isAdmin: boolean;
  readonly refreshMinutes: number | undefined;
}) {
  const { isAdmin, refreshMinutes } = props;
  const t = useT();
  const { data, isError, error, refetch } = useLines(refreshMinutes);
  return (
    <Card title={<h2>{t("dashboard.lines")}</h2>} flush>
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="p-4">
            <Skeleton height={72} />
          </div>
        )
      ) : (
        <Rows>
          {data.map((line) => (
            <div key={line.group} className="flex flex-col gap-2">
              <LineHead line={line} isAdmin={isAdmin} />
              <HourStrip
                label={t("dashboard.lineHours", { group: line.group })}
                hours={line.hours.map(({ at, state, calls, failures }) => ({
                  id: at,
                  tone: tones[state],
                  low: state === "idle",
                  text: hourWords({ at, state, calls, failures }, isAdmin, t),
                }))}
              />
              {line.channels.map((channel) => (
                <StoppedChannel key={channel.id} channel={channel} />
              ))}
            </div>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function LineHead({ line, isAdmin }: { readonly line: Line; readonly isAdmin: boolean }) {
  const t = useT();
  const { group, description, state, enabled } = line;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h3 className="font-medium wrap-anywhere">{group}</h3>
      <Badge tone={tones[state]}>{stateName(state, t)}</Badge>
      {description !== "" && description !== group && (
        <span className="text-sm">
          <Muted>{showMessage(description, t)}</Muted>
        </span>
      )}
      {isAdmin && (
        <span className="ml-auto text-sm">
          <Muted>{t("dashboard.enabledChannels", { count: enabled })}</Muted>
        </span>
      )}
    </div>
  );
}

function StoppedChannel({ channel }: { readonly channel: Line["channels"][number] }) {
  const t = useT();
  const { id, name, automatically, reason, since } = channel;
  return (
    <p className="text-sm">
      <Link to="/channel" search={{ open: String(id) }}>
        {name}
      </Link>{" "}
      <Muted>
        {automatically
          ? t("dashboard.stoppedByItself", { time: showTime(since, "–") })
          : t("dashboard.stoppedByHand")}
      </Muted>
      {automatically && reason !== "" && (
        <span className="wrap-anywhere">{` ${showMessage(reason, t)}`}</span>
      )}
    </p>
  );
}

function stateName(state: LineState, t: T): string {
  switch (state) {
    case "up":
      return t("dashboard.up");
    case "degraded":
      return t("dashboard.degraded");
    case "down":
      return t("dashboard.down");
    case "idle":
      return t("dashboard.idle");
  }
}

function hourWords(
  { at, state, calls, failures }: Line["hours"][number],
  isAdmin: boolean,
  t: T,
): string {
  const time = showTime(at, "").slice(5, 16);
  const words = `${time} ${stateName(state, t)}`;
  if (!isAdmin || state === "idle") return words;
  return `${words} · ${t("dashboard.hourCalls", { calls, failures })}`;
}
