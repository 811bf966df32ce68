import { role } from "@tollgate/contract/endpoints/users.ts";
import { type ComponentProps, lazy, Suspense, useMemo, useState } from "react";
import { useT, withTexts } from "#i18n/t.ts";
import { DateTimeRange } from "#ui/date/DateTimeRange.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import type { Filter, ReadAll } from "#ui/table/column.ts";
import type { ToolProps } from "#ui/table/tools/ListTools.tsx";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { useWide } from "#ui/table/use-browser.ts";
import { UserDialog } from "#widgets/people/UserLink.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useSession } from "#widgets/server/use-status.ts";
import type { AllRows } from "./answers/answers.api.ts";
import { useNoCalls } from "./first-call.tsx";
import { KeyFilter } from "./KeyFilter.tsx";
import { LiveControl } from "./live/LiveControl.tsx";
import { liveState } from "./live/live-page.ts";
import { logFilters } from "./log-filters.ts";
import { LogSummary } from "./LogSummary.tsx";
import type { LogView } from "./log-view.ts";
import {
  type LogInput,
  type LogScope,
  readLogs,
  useLogs,
  useLogStat,
  useLogUser,
} from "./logs.api.ts";
import { logColumns } from "./logs.columns.tsx";
import { logSearch, type LogSearch, useDefaultRange } from "./logs.search.ts";
import { TextRules } from "./texts/TextRules.tsx";
import { TextSheet } from "./texts/TextSheet.tsx";
import { useVisible } from "#ui/attention/use-visible.ts";

// Loaded when the first row is unfolded, because most visitors read the list alone.
const LogDetails = lazy(async () => ({
  default: (await import("./LogDetails.tsx")).LogDetails,
}));

// Loaded after the first rows, so that these do not wait for the chart.
const LogAnswers = lazy(async () => ({
  default: (
    await withTexts("dashboard", withTexts("logAnswers", import("./answers/LogAnswers.tsx")))
  ).LogAnswers,
}));

const SavedViews = lazy(async () => ({
  default: (await withTexts("table", withTexts("views", import("./SavedViewsPopup.tsx"))))
    .SavedViewsPopup,
}));

function LogViews(props: ToolProps) {
  return <SavedViews {...props} list="logs" />;
}

/** The height of what stands above the list, in pixels, so that the list does not move. */
const answersHeight = 270;

/** The value of `open` while the dialog about a user is open: `user-7`. */
const userPrefix = "user-";
/** The value of `open` while the texts of a call are open: `texts-9001`. */
const textsPrefix = "texts-";

/**
 * `/log`: the log of calls, with usage and charge. Users see their own calls, admins those of all
 * users.
 */
export function LogsScreen() {
  const t = useT();
  return <LogList title={t("logs.title")} hasTexts={false} />;
}

/**
 * `/newLog`: the same screen under the address that root's menu uses, with the texts of calls.
 */
export function NewLogsScreen() {
  const t = useT();
  return <LogList title={t("app.screenNewLogs")} hasTexts />;
}

function LogList({ title, hasTexts }: { title: string; hasTexts: boolean }) {
  const t = useT();
  const own = useSession()?.role ?? role.enum.user;
  const isRoot = own >= role.enum.root;
  const isAdmin = own >= role.enum.admin;
  const range = useDefaultRange();
  const schema = useMemo(() => logSearch(range), [range]);
  const [search, setSearch] = useListSearch(schema);
  const [key, setKey] = useState("");
  const { quotaPerUnit } = useQuotaDisplay();
  const input = inputOf(search, scopeOf(isAdmin, isRoot ? key : ""), quotaPerUnit);
  const live = liveState(search, useVisible(), nowSeconds());
  const { list, isTailBroken } = useLogs(input, live === "on");
  const stat = useLogStat(input, live === "on");
  const columns = useMemo(
    () =>
      logColumns({
        t,
        isAdmin,
        isRoot,
        onFilter: setSearch,
        onUser: (id) => setSearch({ open: `${userPrefix}${id}` }),
      }),
    [t, isAdmin, isRoot, setSearch],
  );
  const filters = useLogFilters(input, search, isAdmin);
  const wide = useWide();
  // A phone shows the list first.
  const view = search.answer === "" ? (wide ? "chart" : "none") : search.answer;
  const noCalls = useNoCalls(search, ({ start, end }) => setSearch({ start, end }));
  const openUser = openId(search.open, userPrefix);
  const openTexts = openId(search.open, textsPrefix);
  const showTexts =
    hasTexts && isRoot
      ? (row: LogView) => setSearch({ open: `${textsPrefix}${row.id}` })
      : undefined;

  return (
    <ListScreen
      id="logs"
      title={title}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readLogs({ ...input, ...window }, signal)}
      readAll={allRows({ ...input, tokenId: list.data?.items[0]?.token_id })}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      keyword={{ name: "model_name", placeholder: t("logs.modelPlaceholder") }}
      filters={filters}
      controls={
        <>
          {isRoot && (
            <KeyFilter
              value={key}
              onChange={(next) => {
                setKey(next);
                setSearch({ page: 1 });
              }}
            />
          )}
          <div className="w-full md:w-100">
            <DateTimeRange
              aria-label={t("logs.timeRange")}
              value={{ start: search.start || null, end: search.end || null }}
              onChange={({ start, end }) => setSearch({ start: start ?? 0, end: end ?? 0 })}
            />
          </div>
        </>
      }
      viewsPopup={LogViews}
      controlsSet={Number(key !== "")}
      actions={
        <LiveControl
          state={isTailBroken ? "broken" : live}
          onChange={(on) => setSearch({ live: on ? 1 : 0, page: 1 }, { replace: true })}
        />
      }
      summary={
        <>
          <TextRules isRoot={isRoot} areHere={hasTexts} />
          <LogSummary
            stat={stat.data}
            onChart={view === "none" ? () => setSearch({ answer: "chart" }) : undefined}
          />
          {view !== "none" && (
            <Answers
              isReady={list.data !== undefined}
              input={input}
              search={search}
              view={view}
              onSearch={setSearch}
              isAdmin={isAdmin}
              live={live === "on"}
            />
          )}
        </>
      }
      expand={(row) => (
        <Suspense fallback={<Skeleton />}>
          <LogDetails row={row} isRoot={isRoot} onTexts={showTexts} />
        </Suspense>
      )}
      onRightClick={showTexts}
      empty={noCalls}
    >
      {openUser !== null && isAdmin && (
        <LogUser
          id={openUser}
          onClose={() => setSearch({ open: "" })}
          onFilter={(username) => setSearch({ open: "", username })}
        />
      )}
      {openTexts !== null && showTexts !== undefined && (
        <TextSheet key={openTexts} id={openTexts} onClose={() => setSearch({ open: "" })} />
      )}
    </ListScreen>
  );
}

/** The id in the address after a prefix; null: something else is open, or nothing. */
function openId(open: string, prefix: string): number | null {
  const id = open.startsWith(prefix) ? Number(open.slice(prefix.length)) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** What stands above the list, once that is there. */
function Answers({
  isReady,
  ...props
}: ComponentProps<typeof LogAnswers> & { readonly isReady: boolean }) {
  if (!isReady) return <Skeleton height={answersHeight} />;
  return (
    <Suspense fallback={<Skeleton height={answersHeight} />}>
      <LogAnswers {...props} />
    </Suspense>
  );
}

/** Reads all rows for a file, by code that is loaded when a file is asked for. */
function allRows(input: AllRows): ReadAll<LogView> {
  return async (onRows, signal) => {
    const { readAllRows } = await import("./answers/answers.api.ts");
    let isWhole = true;
    await readAllRows(input, signal, (rows, { total, isCut }) => {
      isWhole = !isCut;
      onRows(rows, total);
    });
    return isWhole;
  };
}

/** The filters, whose values are counted among what the list shows when a field is opened. */
function useLogFilters(input: LogInput, search: LogSearch, isAdmin: boolean): readonly Filter[] {
  const t = useT();
  // Compared as text, because the input is made anew each time.
  const shown = JSON.stringify(input);
  const tokenId = search.token_id !== "";
  return useMemo(
    () =>
      logFilters({
        t,
        isAdmin,
        // Safe cast: the text is that of the input.
        input: JSON.parse(shown) as LogInput,
        isSet: { tokenId },
      }),
    [t, isAdmin, shown, tokenId],
  );
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function rowId(row: LogView): string {
  return String(row.id);
}

function rowName(row: LogView): string {
  return row.request_id === "" ? `#${row.id}` : row.request_id;
}

function scopeOf(isAdmin: boolean, key: string): LogScope {
  if (!isAdmin) return { kind: "own" };
  return key === "" ? { kind: "all" } : { kind: "key", key };
}

/** What the list reads. `quotaPerUnit`: the quota units of a dollar, in which a cost is typed. */
function inputOf(search: LogSearch, scope: LogScope, quotaPerUnit: number): LogInput {
  const { start, end, type, model_name, token_name, token_id, group, request_id, cost } = search;
  const { channel, conversation_id, ending, page, size, sort, tag, usage_source, username } =
    search;
  const own = { start, end, type, model_name, token_name, token_id, group, usage_source };
  const quotaMin = Math.ceil(Number(cost) * quotaPerUnit);
  const filter = { ...own, conversation_id, ending, tag, request_id, quotaMin, username, channel };
  return { scope, filter, page, size, sort };
}

/** A dialog about the user who made a call, with a button that filters the log by this user. */
function LogUser(props: { id: number; onClose: () => void; onFilter: (username: string) => void }) {
  const t = useT();
  const { data, error, refetch } = useLogUser(props.id);
  return (
    <UserDialog
      user={data}
      error={error}
      onRetry={() => void refetch()}
      onClose={props.onClose}
      actions={
        data && (
          <Button onClick={() => props.onFilter(data.username)}>
            {t("logs.onlyThisUser", { name: data.username })}
          </Button>
        )
      }
    />
  );
}
