import { type ChannelStanding, channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import { showTimeExactly } from "#display/time.ts";
import * as api from "#features/channels/channels.api.ts";
import { readStatusInfo } from "#features/channels/channel-display.ts";
import { type T, useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { showMessage } from "#widgets/server/server-message.ts";

type Line = ChannelStanding["lines"][number];

/**
 * Says in words whether calls come to the channel now, and if not, why. The server answers by the
 * rules that route calls.
 */
export function StandingPanel({ id }: { id: number }) {
  const t = useT();
  const { data } = api.useChannelStanding(id);
  if (data === undefined) return null;
  if (data.state === "off") return <OffBanner standing={data} />;
  if (data.state === "unusable") {
    return <Banner tone="danger" title={t("channels.standingUnusable")} />;
  }
  const isUsed = data.lines.some(({ kind }) => kind === "used");
  const isWhole = data.lines.every(({ kind }) => kind === "used");
  const title = isWhole
    ? t("channels.standingUsed")
    : isUsed
      ? t("channels.standingPartly")
      : t("channels.standingUnused");
  return (
    <Banner tone={isWhole ? "success" : isUsed ? "info" : "warning"} title={title}>
      <ul className="flex flex-col gap-1">
        {data.lines.map((line) => (
          <li key={`${line.kind} ${line.groups.join()} ${line.models[0]}`} className="break-words">
            {sayLine(line, t)} <Muted>{namesOf(line, t)}</Muted>
          </li>
        ))}
      </ul>
    </Banner>
  );
}

/** Says of a channel that is not enabled who disabled it, and why and when the gateway did. */
function OffBanner({ standing }: { standing: ChannelStanding }) {
  const t = useT();
  const { reason, time } = readStatusInfo(standing.other_info);
  if (standing.status !== channelStatus.enum.disabledAutomatically) {
    return <Banner tone="warning" title={t("channels.standingOffByHand")} />;
  }
  return (
    <Banner tone="warning" title={t("channels.standingOffAutomatically")}>
      {[
        showMessage(reason, t),
        time > 0 ? t("channels.disabledAt", { time: showTimeExactly(time) }) : "",
      ]
        .filter((part) => part !== "")
        .join(" · ")}
    </Banner>
  );
}

function sayLine({ kind, share, until }: Line, t: T): string {
  const time = until === 0 ? "" : showTimeExactly(until);
  switch (kind) {
    case "used":
      return t("channels.lineUsed", { percent: Math.max(1, Math.round(share * 100)) });
    case "reserve":
      return t("channels.lineReserve");
    case "weightless":
      return t("channels.lineWeightless");
    case "cooldown":
      return t("channels.lineCooldown", { time });
    case "ejected":
      return t("channels.lineEjected", { time });
    case "limit":
      return t("channels.lineLimit");
    case "probing":
      return t("channels.lineProbing");
    case "no-price":
      return t("channels.lineNoPrice");
    case "no-group":
      return t("channels.lineNoGroup");
  }
}

/** How many models a line names; of the others only the number is shown. */
const namedMax = 8;

function namesOf({ groups, models, model_count: count }: Line, t: T): string {
  const and = t("channels.listSeparator");
  const named = models.slice(0, namedMax).join(and);
  const more = count > namedMax ? ` ${t("channels.keysMore", { count: count - namedMax })}` : "";
  return `${groups.join(and)}: ${named}${more}`;
}
