import { Check, ChevronDown, RotateCw } from "lucide-react";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { relativeTime } from "#ui/table/cells/relative-time.ts";
import { useMakeRowWords } from "#ui/table/cells/row-words.ts";
import {
  changeTableSettings,
  type RefreshInterval,
  refreshIntervals,
  useTableSettings,
} from "#ui/table/views/table-settings.ts";

export type RefreshProps = {
  /** The id of the table, under which the chosen interval is stored. */
  readonly id: string;
  readonly updatedAt: number;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
};

/**
 * Shows how long ago the rows were read, with a button to read them again and a choice of an
 * interval to do so automatically.
 */
export function RefreshControl(props: RefreshProps) {
  const { id, updatedAt, isFetching, refetch } = props;
  const t = useT();
  const { refreshSeconds: every } = useTableSettings(id);
  useAutoRefresh(every, isFetching, refetch);
  return (
    <>
      <UpdatedAgo updatedAt={updatedAt} />
      <IconButton
        label={t("ui.tableRefresh")}
        icon={<RotateCw size={16} aria-hidden />}
        loading={isFetching}
        onClick={() => void refetch()}
      />
      <Menu
        trigger={
          <Button variant="ghost" aria-label={intervalName(every, t)}>
            {every > 0 && t("ui.tableRefreshShort", { seconds: every })}
            <ChevronDown size={16} aria-hidden />
          </Button>
        }
        items={refreshIntervals.map((seconds) => ({
          key: String(seconds),
          label: intervalLabel(seconds, t),
          icon: <Check size={14} aria-hidden className={seconds === every ? "" : "invisible"} />,
          onSelect: () => changeTableSettings(id, { refreshSeconds: seconds }),
        }))}
      />
    </>
  );
}

/**
 * A component of its own, so that only this text is drawn again every second. Until the first read
 * has ended, its room is kept: otherwise the tools could move to another line, and the list with
 * them.
 */
function UpdatedAgo({ updatedAt }: { readonly updatedAt: number }) {
  const t = useT();
  const words = useMakeRowWords();
  const isRead = updatedAt > 0;
  const time = useSyncExternalStore(subscribeSeconds, () => {
    const now = Math.floor(Date.now() / 1000);
    return relativeTime(isRead ? Math.floor(updatedAt / 1000) : now, now, words.time);
  });
  return (
    <span
      className={`hidden text-xs text-muted tabular-nums min-[1400px]:inline ${isRead ? "" : "invisible"}`}
      aria-hidden={!isRead || undefined}
    >
      {t("ui.tableUpdated", { time })}
    </span>
  );
}

function subscribeSeconds(listener: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) listener();
  }, 1_000);
  return () => clearInterval(timer);
}

/**
 * Reads the rows again `seconds` after the last read ended, whether it failed or not. Pauses while
 * the page is hidden or the browser is offline.
 */
export function useAutoRefresh(seconds: number, isFetching: boolean, refetch: () => unknown): void {
  const read = useEffectEvent(() => void refetch());
  useEffect(() => {
    if (seconds === 0 || isFetching) return undefined;
    const dueAt = Date.now() + seconds * 1000;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      if (document.hidden || !navigator.onLine) return;
      timer = setTimeout(read, Math.max(0, dueAt - Date.now()));
    };
    wait();
    document.addEventListener("visibilitychange", wait);
    addEventListener("online", wait);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
      removeEventListener("online", wait);
    };
  }, [seconds, isFetching]);
}

export function intervalLabel(seconds: RefreshInterval, t: T): string {
  return seconds === 0 ? t("ui.tableAutoRefreshOff") : t("ui.tableAutoRefreshEvery", { seconds });
}

function intervalName(seconds: RefreshInterval, t: T): string {
  return seconds === 0 ? t("ui.tableAutoRefresh") : t("ui.tableAutoRefreshOn", { seconds });
}
