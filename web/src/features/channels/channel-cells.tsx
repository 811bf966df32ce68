import { type Channel, channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { showTimeExactly } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { InlineNumber } from "#ui/table/cells/InlineNumber.tsx";
import { SwitchCell } from "#ui/table/cells/SwitchCell.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { TypeMark } from "#widgets/brands/BrandMark.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { readStatusInfo, responseTone, showMs, showSeconds } from "./channel-display.ts";
import { listOf, type TagRow } from "./channel-rows.ts";
import { useIsTested, useUnpricedModels } from "./channels.api.ts";
import { useOwnedChannels } from "./money.api.ts";
import { useTestState } from "./tests-running.ts";

const { enabled, disabledAutomatically } = channelStatus.enum;

/** The button that unfolds or folds a tag's channels. It stands in the id column. */
export function TagFold(props: { row: TagRow; onUnfold: (tag: string) => void }) {
  const { row, onUnfold } = props;
  const t = useT();
  const label = row.unfolded
    ? t("channels.foldTag", { tag: row.tag })
    : t("channels.unfoldTag", { tag: row.tag });
  return (
    <IconButton
      size="sm"
      label={label}
      aria-expanded={row.unfolded}
      icon={
        row.unfolded ? (
          <ChevronDown size={16} aria-hidden />
        ) : (
          <ChevronRight size={16} aria-hidden />
        )
      }
      onClick={() => onUnfold(row.tag)}
    />
  );
}

export function TagName({ row }: { row: TagRow }) {
  const t = useT();
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <CutText>{t("channels.tagName", { tag: row.tag })}</CutText>
      <Muted>{row.channels.length}</Muted>
    </span>
  );
}

/**
 * Shows a channel's name, indented if the row is below its tag. If the channel was disabled
 * automatically or its last test failed, the reason is below the name.
 */
export function ChannelName({ channel, nested }: { channel: Channel; nested: boolean }) {
  const isOff = channel.status === disabledAutomatically;
  const t = useT();
  const { reason } = useStatusInfo(channel.other_info);
  const failure = useMemo(() => showMessage(channel.test_error, t), [channel.test_error, t]);
  return (
    <span className={nested ? "block min-w-0 pl-8" : "block min-w-0"}>
      <CutText>{channel.name}</CutText>
      <Below text={isOff ? reason : ""} />
      {/* The reason of a failed test, unless the channel was disabled for that very reason. */}
      <Below text={failure === reason ? "" : failure} />
    </span>
  );
}

/** What is to be known of a channel besides its name: models without a price, the file that owns it. */
export function ChannelMarks({ channel, nested }: { channel: Channel; nested: boolean }) {
  return (
    <span className={nested ? "block min-w-0 md:pl-8" : "block min-w-0"}>
      <UnpricedBadge models={channel.models} />
      <OwnedBadge id={channel.id} />
    </span>
  );
}

/** A reason below a channel's name; nothing if it is empty. */
function Below({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <span className="block text-xs">
      <Muted>
        <CutText>{text}</CutText>
      </Muted>
    </span>
  );
}

/**
 * A badge with the number of the channel's models that have no price, so that calls of them are
 * refused.
 */
function UnpricedBadge({ models }: { models: string }) {
  const t = useT();
  const unpriced = useUnpricedModels();
  const missing = useMemo(
    () => (unpriced === undefined ? [] : listOf(models).filter((model) => unpriced.has(model))),
    [models, unpriced],
  );
  if (missing.length === 0) return null;
  return (
    <Tip text={shownModels(missing)}>
      <Link to="/prices" search={{ show: "unpriced" }} look="mark">
        <Badge tone="warning">{t("channels.unpriced", { count: missing.length })}</Badge>
      </Link>
    </Tip>
  );
}

/** Marks a channel that a configuration file owns, and says what has drifted from the file. */
function OwnedBadge({ id }: { id: number }) {
  const t = useT();
  const owned = useOwnedChannels()?.get(id);
  if (owned === undefined) return null;
  const drift = owned.drift.map(({ field, wanted, present }) =>
    t("channels.ownedField", { field, wanted, present: present ?? "–" }),
  );
  const isAsFile = drift.length === 0;
  return (
    <Tip text={[t("channels.ownedBy", { source: owned.source }), ...drift].join("\n")}>
      <span className="block">
        <Badge tone={isAsFile ? "neutral" : "warning"}>
          {t(isAsFile ? "channels.owned" : "channels.ownedDrift")}
        </Badge>
      </span>
    </Tip>
  );
}

/** The room for the name of a type, in pixels. */
const typeWidthMax = 78;

export function TypeCell({ type, label }: { type: number; label: string | undefined }) {
  const t = useT();
  const name = label ?? t("channels.typeUnknown", { type });
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      <TypeMark type={type} label={label ?? "?"} />
      <CutText max={typeWidthMax}>{name}</CutText>
    </span>
  );
}

/** How many groups are shown by name; of the others only the number is shown. */
const badgesMax = 1;

export function GroupBadges({ groups }: { groups: readonly string[] }) {
  const rest = groups.length - badgesMax;
  return (
    <Tip text={groups.join("\n")}>
      <span className="flex items-center gap-1">
        {groups.slice(0, badgesMax).map((group) => (
          <Badge key={group}>{group}</Badge>
        ))}
        {rest > 0 && <Muted>+{rest}</Muted>}
      </span>
    </Tip>
  );
}

/** The switch that enables or disables a channel, and a badge with the state in words. */
export function StatusCell(props: {
  channel: Channel;
  onSwitch: (channel: Channel, on: boolean) => Promise<unknown>;
}) {
  const { channel, onSwitch } = props;
  const t = useT();
  const { status } = channel;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <SwitchCell
        checked={status === enabled}
        label={t("channels.switchLabel", { name: channel.name })}
        onChange={(on) => onSwitch(channel, on)}
      />
      {status === enabled && <Badge tone="success">{t("channels.statusEnabled")}</Badge>}
      {status === disabledAutomatically && <AutomaticBadge info={channel.other_info} />}
      {status !== enabled && status !== disabledAutomatically && (
        <Badge>{t("channels.statusDisabled")}</Badge>
      )}
    </span>
  );
}

/** Why and when a channel was disabled automatically, with the reason in the console's language. */
function useStatusInfo(info: string): ReturnType<typeof readStatusInfo> {
  const t = useT();
  return useMemo(() => {
    const { reason, time } = readStatusInfo(info);
    return { reason: showMessage(reason, t), time };
  }, [info, t]);
}

/** The badge of an automatically disabled channel, with the reason and the time in its tooltip. */
function AutomaticBadge({ info }: { info: string }) {
  const t = useT();
  const { reason, time } = useStatusInfo(info);
  const at = time > 0 ? t("channels.disabledAt", { time: showTimeExactly(time) }) : "";
  return (
    <Tip text={[reason, at].filter((line) => line !== "").join("\n")}>
      <span tabIndex={0}>
        <Badge tone="warning">{t("channels.statusAutomatic")}</Badge>
      </span>
    </Tip>
  );
}

export function TagStatus(props: { row: TagRow; onSwitch: (tag: string, on: boolean) => unknown }) {
  const { row, onSwitch } = props;
  const t = useT();
  const count = row.enabledCount;
  return (
    <span className="flex items-center gap-2">
      <SwitchCell
        checked={count > 0}
        label={t("channels.switchLabel", { name: row.tag })}
        onChange={(on) => onSwitch(row.tag, on)}
      />
      <Badge tone={count > 0 ? "success" : "neutral"}>
        {t("channels.enabledOf", { count, total: row.channels.length })}
      </Badge>
    </span>
  );
}

/**
 * Shows the duration of the channel's last test, or that a test is running, or why the last one
 * failed.
 */
export function ResponseCell({ channel }: { channel: Channel }) {
  const t = useT();
  const own = useTestState(channel.id);
  const isInRound = useIsTested(channel.id);
  if (own?.kind === "running" || isInRound) {
    return (
      <span className="flex items-center gap-1.5" role="status">
        <Spinner size={14} />
        <Muted>{t("channels.testing")}</Muted>
      </span>
    );
  }
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      {channel.test_error === "" ? (
        <ResponseBadge ms={channel.response_time} t={t} />
      ) : (
        <FailedBadge message={showMessage(channel.test_error, t)} />
      )}
      {/* In narrower windows its room belongs to the columns for groups and weight. */}
      {channel.test_time > 0 && (
        <span className="text-xs max-[1535px]:hidden">
          <Muted>
            <TimeCell seconds={channel.test_time} />
          </Muted>
        </span>
      )}
    </span>
  );
}

function FailedBadge({ message }: { message: string }) {
  const t = useT();
  return (
    <Tip text={message}>
      <span tabIndex={0}>
        <Badge tone="danger">{t("channels.testFailedShort")}</Badge>
      </span>
    </Tip>
  );
}

/**
 * Shows the mean duration of the last tests of a tag's channels, and how many of these failed.
 */
export function TagResponse({ row, t }: { row: TagRow; t: T }) {
  const count = row.failedCount;
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      {(row.response_time > 0 || count === 0) && <ResponseBadge ms={row.response_time} t={t} />}
      {count > 0 && <Badge tone="danger">{t("channels.testsFailed", { count })}</Badge>}
    </span>
  );
}

function ResponseBadge({ ms, t }: { ms: number; t: T }) {
  if (ms === 0) return <Muted>{t("channels.untested")}</Muted>;
  return <Badge tone={responseTone(ms)}>{showMs(ms)}</Badge>;
}

/** Shows the result of testing a channel with one of its models. */
export function TestResult({ id, model }: { id: number; model: string }): ReactNode {
  const t = useT();
  const test = useTestState(id, model);
  switch (test?.kind) {
    case undefined:
      return null;
    case "running":
      return <Spinner size={14} />;
    case "passed":
      return <Badge tone={responseTone(test.seconds * 1_000)}>{showSeconds(test.seconds)}</Badge>;
    case "failed":
      return (
        <span className="text-xs break-words">
          <Toned tone="danger">{test.message || t("channels.testFailedShort")}</Toned>
        </span>
      );
  }
}

/** Shows the balance at the upstream, in the upstream's currency; "–" if it was never read. */
export function BalanceText({ balance, at }: { balance: number; at: number }) {
  const t = useT();
  if (at === 0) return <Muted>–</Muted>;
  const tip = t("channels.balanceTip", { time: showTimeExactly(at) });
  const text = balance.toFixed(2);
  return <Tip text={tip}>{balance <= 0 ? <Toned tone="danger">{text}</Toned> : text}</Tip>;
}

export function ModelCount({ models }: { models: readonly string[] }) {
  return <Tip text={shownModels(models)}>{models.length}</Tip>;
}

/** The largest number of lines in a tooltip. */
const tipLinesMax = 20;

function shownModels(models: readonly string[]): string {
  const lines = models.slice(0, tipLinesMax);
  return [...lines, ...(models.length > tipLinesMax ? ["…"] : [])].join("\n");
}

export function modelsOf(channel: Channel): string[] {
  return listOf(channel.models);
}

/**
 * The priority or weight of all channels of a tag. Null: the channels have different values, so the
 * field is empty; a number that is typed into it is set on all of them.
 */
export function TagNumber(props: {
  value: number | null;
  label: string;
  min?: number;
  floor?: number;
  onSave: (value: number) => Promise<unknown>;
}) {
  const t = useT();
  return <InlineNumber placeholder={t("channels.mixed")} {...props} />;
}
