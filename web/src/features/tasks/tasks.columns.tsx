import { type Drawing, slowTaskSeconds, type Task } from "@tollgate/contract/endpoints/tasks.ts";
import { z } from "zod";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import type { Column } from "#ui/table/column.ts";
import type { Tone } from "#ui/tone.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { actionText, codeLook, lookOf } from "./task-words.ts";
import { type ResultKind, TaskResult } from "./TaskResult.tsx";

/** A row of either list, with its times in Unix seconds. */
export type TaskRow = Pick<
  Task,
  | "action"
  | "channel_id"
  | "channel_name"
  | "fail_reason"
  | "id"
  | "progress"
  | "prompt"
  | "quota"
  | "refunded"
  | "status"
  | "user_id"
  | "username"
> & {
  readonly name: string;
  readonly platform: string;
  readonly url: string;
  /** The addresses of further results, such as the second song. */
  readonly more: readonly string[];
  readonly kind: ResultKind;
  /** What the upstream made of the prompt, or wrote: a translation, a song's words. */
  readonly words: string;
  readonly submitted: number;
  readonly finished: number;
  /** What the upstream said to the submission; null: the platform has no such codes. */
  readonly code: number | null;
};

/** The kinds of results that are no videos. */
const kinds: Readonly<Record<string, ResultKind>> = { IMAGE: "picture", MUSIC: "sound" };

export function rowOfTask(task: Task): TaskRow {
  return {
    ...task,
    name: task.task_id,
    url: task.result_url,
    more: filesIn(task.data).filter((url) => url !== task.result_url),
    kind: kinds[task.action] ?? "video",
    words: task.action === "LYRICS" ? lyricsIn(task.data) : "",
    submitted: task.submit_time,
    finished: task.finish_time,
    code: null,
  };
}

const lyrics = z.object({ title: z.string().catch(""), text: z.string() });
const withLyrics = z.object({ data: z.union([lyrics, z.tuple([lyrics], z.unknown())]) });

/** The words of a song in what its platform said; empty: there are none. */
function lyricsIn(text: string): string {
  const read = z.preprocess(parsed, withLyrics).safeParse(text);
  if (!read.success) return "";
  const song = Array.isArray(read.data.data) ? read.data.data[0] : read.data.data;
  return [song.title, song.text].filter(Boolean).join("\n\n");
}

const files = z.array(
  z.looseObject({ url: z.string().optional(), audio_url: z.string().optional() }),
);
const withFiles = z.object({
  data: files.catch([]),
  task_result: z.object({ images: files.catch([]), videos: files.catch([]) }).catch({
    images: [],
    videos: [],
  }),
});

/** The addresses of songs, pictures and videos in what a platform said. */
function filesIn(text: string): string[] {
  const read = z.preprocess(parsed, withFiles).safeParse(text);
  if (!read.success) return [];
  const { data, task_result: result } = read.data;
  return [...data, ...result.images, ...result.videos].flatMap((file) => {
    const url = file.audio_url ?? file.url ?? "";
    return url === "" ? [] : [url];
  });
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

export function rowOfDrawing(drawing: Drawing): TaskRow {
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  return {
    ...drawing,
    name: drawing.mj_id,
    platform: "midjourney",
    url: drawing.image_url,
    more: [],
    kind: "picture",
    words: drawing.prompt_en === drawing.prompt ? "" : drawing.prompt_en,
    submitted: seconds(drawing.submit_time),
    finished: seconds(drawing.finish_time),
  };
}

type Deps = {
  readonly t: T;
  readonly isAdmin: boolean;
  readonly isDrawings: boolean;
  readonly platformName: (id: string) => string;
};

/** Seconds that a task took, or null while it runs. */
function spent({ submitted, finished }: TaskRow): number | null {
  return finished === 0 ? null : Math.max(0, finished - submitted);
}

export function taskColumns({
  t,
  isAdmin,
  isDrawings,
  platformName,
}: Deps): readonly Column<TaskRow>[] {
  return [
    {
      id: "submitted",
      title: t("tasks.submitTime"),
      rank: 2,
      width: 120,
      card: "fact",
      brief: (row) => <TimeCell seconds={row.submitted} />,
      csv: (row) => showTime(row.submitted, ""),
      cell: (row) => <TimeCell seconds={row.submitted} />,
    },
    {
      id: "result",
      title: t("tasks.result"),
      rank: 1,
      width: 72,
      cell: (row) => (
        <TaskResult
          url={row.url}
          kind={row.kind}
          name={row.prompt || row.name}
          progress={row.finished === 0 ? row.progress : ""}
        />
      ),
    },
    {
      id: "action",
      title: t("tasks.action"),
      rank: 1,
      width: 110,
      card: "title",
      brief: (row) => [actionText(row.action, t), row.prompt].filter(Boolean).join(" · "),
      csv: (row) => row.action,
      cell: (row) => actionText(row.action, t),
    },
    ...(isDrawings ? [codeColumn(t)] : [platformColumn(t, platformName)]),
    statusColumn(t),
    {
      id: "prompt",
      title: t("tasks.prompt"),
      rank: 3,
      width: 160,
      grow: 3,
      card: "fact",
      brief: (row) =>
        row.fail_reason === "" ? null : (
          <Toned tone="danger">{showMessage(row.fail_reason, t)}</Toned>
        ),
      csv: (row) => [row.prompt, row.fail_reason].filter(Boolean).join(" · "),
      cell: (row) => (
        <span className="flex min-w-0 flex-col">
          {row.prompt !== "" && <CutText max={400}>{row.prompt}</CutText>}
          {row.fail_reason !== "" && (
            <span className="text-xs">
              <Toned tone="danger">
                <CutText max={400}>{showMessage(row.fail_reason, t)}</CutText>
              </Toned>
            </span>
          )}
        </span>
      ),
    },
    spentColumn(t),
    chargeColumn(t),
    {
      id: "task_id",
      title: t("tasks.taskId"),
      rank: 4,
      width: 140,
      csv: (row) => row.name,
      cell: (row) => <CopyCell text={row.name} label={t("tasks.taskId")} />,
    },
    ...(isAdmin
      ? [
          {
            id: "user",
            title: t("tasks.user"),
            rank: 4,
            width: 100,
            csv: (row: TaskRow) => row.username || String(row.user_id),
            cell: (row: TaskRow) => <Named id={row.user_id} name={row.username} />,
          } as const,
          {
            id: "channel",
            title: t("tasks.channel"),
            rank: 4,
            width: 110,
            csv: (row: TaskRow) => row.channel_name || String(row.channel_id),
            cell: (row: TaskRow) => <Named id={row.channel_id} name={row.channel_name} />,
          } as const,
        ]
      : []),
  ];
}

/** The name of a user or a channel; what is gone has its number only. */
function Named({ id, name }: { readonly id: number; readonly name: string }) {
  if (name === "") return <Muted>#{id}</Muted>;
  return <CutText max={160}>{name}</CutText>;
}

function platformColumn(t: T, nameOf: (id: string) => string): Column<TaskRow> {
  return {
    id: "platform",
    title: t("tasks.platform"),
    rank: 2,
    width: 130,
    card: "fact",
    brief: (row) => nameOf(row.platform),
    csv: (row) => row.platform,
    cell: (row) => nameOf(row.platform),
  };
}

function codeColumn(t: T): Column<TaskRow> {
  const show = ({ code }: TaskRow) => {
    const { text, tone } = codeLook(code ?? 0);
    return <Badge tone={tone}>{t(text)}</Badge>;
  };
  return {
    id: "code",
    title: t("tasks.code"),
    rank: 3,
    width: 100,
    csv: (row) => String(row.code ?? ""),
    cell: show,
  };
}

function statusColumn(t: T): Column<TaskRow> {
  const badge = (row: TaskRow) => {
    const { text, tone } = lookOf(row.status);
    return <Badge tone={tone}>{t(text)}</Badge>;
  };
  return {
    id: "status",
    title: t("tasks.status"),
    rank: 1,
    width: 132,
    card: "lead",
    brief: (row) => (
      <span className="inline-flex items-center gap-1.5">
        {badge(row)}
        <span className="tabular-nums">{row.progress}</span>
      </span>
    ),
    csv: (row) => `${row.status} ${row.progress}`,
    cell: (row) => (
      <span className="flex min-w-0 flex-col gap-1">
        <span className="flex items-center gap-1.5">
          {badge(row)}
          <span className="text-xs tabular-nums">{row.progress}</span>
        </span>
        <ProgressBar
          value={Number.parseInt(row.progress, 10)}
          max={100}
          tone={barTone(row.status)}
          label={t("tasks.progress")}
        />
      </span>
    ),
  };
}

/** A task that did not come to its end has no bar of one that did. */
function barTone(status: TaskRow["status"]): Tone {
  if (status === "FAILURE") return "danger";
  return status === "UNKNOWN" ? "neutral" : "accent";
}

function spentColumn(t: T): Column<TaskRow> {
  return {
    id: "spent",
    title: t("tasks.spentTime"),
    rank: 2,
    width: 80,
    card: "fact",
    // On a phone, a failed task needs the room for its reason and its refund.
    brief: (row) =>
      row.fail_reason !== "" || spent(row) === null ? null : <Spent seconds={spent(row)} t={t} />,
    csv: (row) => String(spent(row) ?? ""),
    cell: (row) => <Spent seconds={spent(row)} t={t} />,
  };
}

function Spent({ seconds, t }: { readonly seconds: number | null; readonly t: T }) {
  if (seconds === null) return <Muted>–</Muted>;
  const tone = seconds > slowTaskSeconds ? "danger" : "success";
  return <Badge tone={tone}>{t("tasks.seconds", { count: seconds })}</Badge>;
}

function chargeColumn(t: T): Column<TaskRow> {
  const show = (row: TaskRow) => (
    <span className="flex flex-col">
      <span className={row.refunded > 0 ? "line-through opacity-60" : ""}>
        <QuotaText quota={row.quota} />
      </span>
      {row.refunded > 0 && (
        <span className="text-xs">
          <Toned tone="success">
            {t("tasks.refunded")} <QuotaText quota={row.refunded} />
          </Toned>
        </span>
      )}
    </span>
  );
  return {
    id: "quota",
    title: t("tasks.charge"),
    rank: 2,
    width: 130,
    align: "right",
    card: "fact",
    brief: (row) =>
      row.refunded > 0 ? (
        <Toned tone="success">
          {t("tasks.refunded")} <QuotaText quota={row.refunded} />
        </Toned>
      ) : (
        <QuotaText quota={row.quota} />
      ),
    csv: (row) => `${row.quota} ${row.refunded}`,
    cell: show,
  };
}
