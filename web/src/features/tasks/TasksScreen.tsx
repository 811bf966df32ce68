import { role } from "@tollgate/contract/endpoints/users.ts";
import { taskLabels } from "@tollgate/contract/endpoints/tasks.ts";
import { useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { DateTimeRange } from "#ui/date/DateTimeRange.tsx";
import type { Filter } from "#ui/table/column.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { byChannelId } from "#widgets/people/name-filters.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { actionItems, labelText, statusItems } from "./task-words.ts";
import {
  readDrawings,
  readTasks,
  type TaskInput,
  useDrawings,
  usePlatforms,
  useTasks,
} from "./tasks.api.ts";
import { rowOfDrawing, rowOfTask, taskColumns, type TaskRow } from "./tasks.columns.tsx";
import { TaskResult } from "./TaskResult.tsx";
import { taskSearch } from "./tasks.search.ts";

/** `/task`: songs, videos and other tasks. Users see their own, admins those of all users. */
export function TasksScreen() {
  return <TaskList isDrawings={false} />;
}

/** `/midjourney`: pictures, in the same list. */
export function DrawingsScreen() {
  return <TaskList isDrawings />;
}

function TaskList({ isDrawings }: { readonly isDrawings: boolean }) {
  const t = useT();
  const isAdmin = (useSession()?.role ?? role.enum.user) >= role.enum.admin;
  const [schema] = useState(() => taskSearch(Date.now()));
  const [search, setSearch] = useListSearch(schema);
  const { start, end, task_id, platform, status, action, channel, page, size } = search;
  const filter = { start, end, task_id, platform, status, action, channel, isAdmin };
  const list = useRows(isDrawings, { ...filter, page, size });
  const platforms = usePlatforms().data;
  const columns = useMemo(() => {
    const platformName = (id: string): string =>
      platforms?.find((each) => each.id === id)?.name ?? id;
    return taskColumns({ t, isAdmin, isDrawings, platformName });
  }, [t, isAdmin, isDrawings, platforms]);
  const filters = useMemo(() => {
    const items = (platforms ?? []).filter(({ id }) => id !== "midjourney");
    return taskFilters(t, { isAdmin, isDrawings, platforms: items });
  }, [t, isAdmin, isDrawings, platforms]);
  return (
    <ListScreen
      id={isDrawings ? "drawings" : "tasks"}
      title={isDrawings ? t("tasks.drawingsTitle") : t("tasks.title")}
      description={isDrawings ? t("tasks.drawingsText") : t("tasks.text")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={async (window, signal) =>
        await readRows(isDrawings, { ...filter, ...window }, signal)
      }
      columns={columns}
      rowId={rowId}
      rowName={(row) => row.name}
      keyword={{ name: "task_id", placeholder: t("tasks.idPlaceholder") }}
      filters={filters}
      controls={
        <div className="w-full md:w-100">
          <DateTimeRange
            aria-label={t("tasks.submitTime")}
            value={{ start: start || null, end: end || null }}
            onChange={(range) =>
              setSearch({ start: range.start ?? 0, end: range.end ?? 0, page: 1 })
            }
          />
        </div>
      }
      summary={!isDrawings && platforms !== undefined && <Offered platforms={platforms} />}
      expand={(row) => <TaskDetails row={row} />}
      empty={{
        title: isDrawings ? t("tasks.drawingsEmpty") : t("tasks.empty"),
        description: t("tasks.emptyText"),
        action: <LinkButton to="/token">{t("tasks.emptyAction")}</LinkButton>,
      }}
    />
  );
}

/** One list of either kind; the other is not read. */
function useRows(isDrawings: boolean, input: TaskInput) {
  const tasks = useTasks(input, !isDrawings);
  const drawings = useDrawings(input, isDrawings);
  const used = isDrawings ? drawings : tasks;
  const data = useMemo(
    () => (isDrawings ? drawingRows(drawings.data) : taskRows(tasks.data)),
    [isDrawings, drawings.data, tasks.data],
  );
  return { ...used, data };
}

type Tasks = Awaited<ReturnType<typeof readTasks>>;
type Drawings = Awaited<ReturnType<typeof readDrawings>>;

function taskRows(page: Tasks | undefined) {
  return page === undefined ? undefined : { ...page, items: page.items.map(rowOfTask) };
}

function drawingRows(page: Drawings | undefined) {
  return page === undefined ? undefined : { ...page, items: page.items.map(rowOfDrawing) };
}

async function readRows(isDrawings: boolean, input: TaskInput, signal: AbortSignal) {
  if (isDrawings) {
    const page = await readDrawings(input, signal);
    return { ...page, items: page.items.map(rowOfDrawing) };
  }
  const page = await readTasks(input, signal);
  return { ...page, items: page.items.map(rowOfTask) };
}

type Platforms = NonNullable<ReturnType<typeof usePlatforms>["data"]>;

function taskFilters(
  t: T,
  {
    isAdmin,
    isDrawings,
    platforms,
  }: { isAdmin: boolean; isDrawings: boolean; platforms: Platforms },
): readonly Filter[] {
  const any = { value: "", label: t("tasks.anyPlatform") };
  const named = platforms.map(({ id, name }) => ({ value: id, label: name }));
  const ofTasks: readonly Filter[] = [
    { kind: "select", name: "platform", label: t("tasks.platform"), items: [any, ...named] },
    { kind: "select", name: "action", label: t("tasks.action"), items: actionItems(t) },
    { kind: "select", name: "status", label: t("tasks.status"), items: statusItems(t) },
  ];
  return [
    ...(isDrawings ? [] : ofTasks),
    ...(isAdmin
      ? [
          {
            kind: "suggest",
            name: "channel",
            label: t("tasks.channel"),
            ...byChannelId,
          } as const,
        ]
      : []),
  ];
}

/** What tasks can be made here, and what no platform offers. */
function Offered({ platforms }: { readonly platforms: Platforms }) {
  const t = useT();
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label={t("tasks.offered")}>
      {taskLabels.map((label) => {
        const by = platforms.filter(({ labels }) => labels.includes(label)).map(({ name }) => name);
        const isOffered = by.length > 0;
        return (
          <li key={label} title={isOffered ? by.join(", ") : t("tasks.notOffered")}>
            <Badge tone={isOffered ? "info" : "neutral"}>
              {t(labelText(label))}
              {!isOffered && ` · ${t("tasks.notOffered")}`}
            </Badge>
          </li>
        );
      })}
    </ul>
  );
}

/** A text of this length stands whole in its column, in characters. */
const wholeLength = 40;

function TaskDetails({ row }: { readonly row: TaskRow }) {
  const t = useT();
  return (
    <dl className="grid gap-2 text-sm">
      {row.prompt.length > wholeLength && (
        <div>
          <dt className="text-xs opacity-70">{t("tasks.prompt")}</dt>
          <dd className="wrap-anywhere whitespace-pre-wrap">{row.prompt}</dd>
        </div>
      )}
      {row.words !== "" && (
        <div>
          <dt className="text-xs opacity-70">
            {t(row.action === "LYRICS" ? "tasks.lyrics" : "tasks.promptEn")}
          </dt>
          <dd className="wrap-anywhere whitespace-pre-wrap">{row.words}</dd>
        </div>
      )}
      {row.more.length > 0 && (
        <div>
          <dt className="text-xs opacity-70">{t("tasks.moreResults")}</dt>
          <dd className="flex flex-wrap gap-2">
            {row.more.map((url, index) => (
              <TaskResult
                key={url}
                url={url}
                kind={row.kind}
                name={`${row.prompt || row.name} (${index + 2})`}
                progress=""
              />
            ))}
          </dd>
        </div>
      )}
      {row.fail_reason.length > wholeLength && (
        <div>
          <dt className="text-xs opacity-70">{t("tasks.failReason")}</dt>
          <dd className="wrap-anywhere">
            <Toned tone="danger">{showMessage(row.fail_reason, t)}</Toned>
          </dd>
        </div>
      )}
    </dl>
  );
}

function rowId(row: TaskRow): string {
  return String(row.id);
}
