import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import { noteFailure, useRunning } from "#ui/attention/attention.ts";
import { FlaskConical, MoreHorizontal, Square, Trash2, Wallet, Wrench } from "lucide-react";
import { useEffect, useRef } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { readNames } from "#widgets/channels/tagged.ts";
import * as api from "./channels.api.ts";
import { type ChannelSearch, idSortKey } from "./channels.search.ts";
import type { ChannelChanges } from "./use-channel-changes.ts";

/** The switches above the list: newest channels first, and one row per tag. */
export function ListModes(props: {
  search: ChannelSearch;
  onSearch: (patch: Partial<ChannelSearch>) => void;
}) {
  const { search, onSearch } = props;
  const t = useT();
  return (
    <span className="flex flex-wrap items-center gap-x-4">
      <Switch
        label={t("channels.idSort")}
        checked={search.id_sort === "true"}
        onChange={(on) => {
          // The address must change before local storage: the stored value is the default, and a
          // value equal to the default is left out of the address.
          onSearch({ id_sort: String(on) });
          localStorage.setItem(idSortKey, String(on));
        }}
      />
      <Switch
        label={t("channels.tagMode")}
        checked={search.tag_mode === "true"}
        onChange={(on) => onSearch({ tag_mode: String(on) })}
      />
    </span>
  );
}

/** The menu with actions that concern all channels at the same time. */
export function ChannelTools({ changes }: { changes: ChannelChanges }) {
  const t = useT();
  const refresh = api.useRefreshChannels();
  const started = (act: () => Promise<void>) => () => void act().then(refresh);
  return (
    <Menu
      trigger={
        <IconButton
          variant="default"
          label={t("channels.tools")}
          icon={<MoreHorizontal size={16} aria-hidden />}
        />
      }
      items={[
        {
          key: "test-all",
          label: t("channels.testAll"),
          icon: <FlaskConical size={14} aria-hidden />,
          onSelect: started(changes.testAll),
        },
        {
          key: "balances",
          label: t("channels.updateBalances"),
          icon: <Wallet size={14} aria-hidden />,
          onSelect: started(changes.updateBalances),
        },
        {
          key: "fix",
          label: t("channels.fix"),
          icon: <Wrench size={14} aria-hidden />,
          onSelect: () => void changes.fix(),
        },
        "separator",
        {
          key: "remove-disabled",
          label: t("channels.removeDisabled"),
          icon: <Trash2 size={14} aria-hidden />,
          tone: "danger",
          onSelect: () => void changes.removeDisabled(),
        },
      ]}
    />
  );
}

/**
 * Progress of testing all channels and of reading all balances. The server runs both, so a reload
 * of the page keeps the progress, and all administrators see it.
 */
export function RoundProgress({ onFailed }: { onFailed: () => void }) {
  const t = useT();
  const { data } = api.useRounds();
  useRefreshAlong(data?.tests, data?.balances);
  useEnd(data?.tests, (round) => {
    if (round.failed > 0) noteFailure("channel tests");
    const action =
      round.failed === 0 ? undefined : { label: t("channels.showFailed"), onClick: onFailed };
    toast({
      tone: round.failed === 0 ? "success" : "warning",
      title: t(round.stopped ? "channels.testsStopped" : "channels.testsEnded", countsOf(round)),
      action,
      ...(round.failed === 0 ? {} : { durationMs: 0 }),
    });
  });
  useEnd(data?.balances, (round) => void tellBalances(round, t));
  useRunning(data?.tests.running === true || data?.balances.running === true);
  if (data === undefined) return null;
  const { tests, balances } = data;
  if (!tests.running && !balances.running) return null;
  return (
    <div className="flex flex-col gap-2">
      {tests.running && <RoundLine name="tests" label={t("channels.testingAll")} round={tests} />}
      {balances.running && (
        <RoundLine name="balances" label={t("channels.updatingBalances")} round={balances} />
      )}
    </div>
  );
}

/** How many channels whose balances could not be read are named. */
const failuresNamed = 10;

/** Says how an update of all balances ended, and which channels' balances could not be read. */
async function tellBalances(round: ChannelRound, t: T): Promise<void> {
  const names = await readNames(round.failed_ids.slice(0, failuresNamed));
  toast({
    tone: round.failed === 0 ? "success" : "warning",
    title: t(
      round.stopped ? "channels.balancesStopped" : "channels.balancesEnded",
      countsOf(round),
    ),
    ...(names.length === 0
      ? {}
      : {
          description:
            names.join(t("channels.nameComma")) + (round.failed > names.length ? " …" : ""),
          durationMs: 0,
        }),
  });
}

function countsOf({ done, failed, total }: ChannelRound) {
  return { done, failed, total, passed: done - failed };
}

/** Calls `onEnd` once when a round ends that ran or began while this page was open. */
function useEnd(round: ChannelRound | undefined, onEnd: (round: ChannelRound) => void): void {
  /** The last round whose end was told, or that had ended before; null: not known yet. */
  const told = useRef<number | null>(null);
  const tell = useRef(onEnd);
  useEffect(() => {
    tell.current = onEnd;
  });
  useEffect(() => {
    if (round === undefined) return;
    told.current ??= round.running ? round.run - 1 : round.run;
    if (round.running || round.run <= told.current) return;
    told.current = round.run;
    tell.current(round);
  }, [round]);
}

function RoundLine(props: { name: "balances" | "tests"; label: string; round: ChannelRound }) {
  const { name, label, round } = props;
  const t = useT();
  const stop = api.useStopRound();
  const { done, failed, total, stopped } = round;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span role="status" className="flex min-w-0 flex-1 items-center gap-3">
        <span className="whitespace-nowrap">{label}</span>
        <span className="max-w-80 min-w-16 flex-1">
          <ProgressBar value={done} max={total} label={label} />
        </span>
        <span className="whitespace-nowrap tabular-nums">
          <Muted>{t("channels.roundDone", { done, total, failed })}</Muted>
        </span>
      </span>
      <Button
        size="sm"
        icon={<Square size={14} aria-hidden />}
        disabled={stopped}
        aria-label={t("channels.stopRoundOf", { label })}
        onClick={() => void stop(name).catch(toastError)}
      >
        {t("channels.stopRound")}
      </Button>
    </div>
  );
}

/**
 * Reads the list again whenever the server has worked on further channels, and once more at the
 * end.
 */
function useRefreshAlong(...rounds: readonly (ChannelRound | undefined)[]): void {
  const refresh = api.useRefreshChannelLists();
  const stand = rounds.map((round) => `${round?.running} ${round?.done}`).join();
  const last = useRef<string | null>(null);
  const isKnown = rounds.some((round) => round !== undefined);
  useEffect(() => {
    if (!isKnown) return;
    if (last.current !== null && last.current !== stand) void refresh();
    last.current = stand;
  }, [refresh, stand, isKnown]);
}
