import { useEffect, useEffectEvent, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import type { Column, FetchPage, ReadAll } from "#ui/table/column.ts";
import { byteOrderMark, csvHead, csvRows, type FileFormat, jsonLines } from "./csv.ts";
import { walkPages } from "./walk-pages.ts";

/**
 * The largest number of rows in a file. A spreadsheet can still open such a file, and reading the
 * rows takes some minutes.
 */
export const csvRowsMax = 50_000;

/**
 * Writes all rows that match the filters into a CSV file, and shows the progress. It starts as soon
 * as it is mounted.
 */
export function CsvExport<Row>(props: {
  /** The beginning of the file's name. */
  readonly id: string;
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  readonly fetchPage: FetchPage<Row>;
  /** Reads all rows at once where the server can send them; absent: they are read page by page. */
  readonly readAll?: ReadAll<Row> | undefined;
  /** `ndjson`: whole rows, one a line. */
  readonly format?: FileFormat;
  readonly onEnd: () => void;
}) {
  const { id, columns, rowId, fetchPage, format = "csv", onEnd } = props;
  const t = useT();
  const [progress, setProgress] = useState<{ done: number; total: number | null }>({
    done: 0,
    total: null,
  });
  const [controller] = useState(() => new AbortController());

  const run = useEffectEvent(async (signal: AbortSignal) => {
    // Each page becomes a blob when it arrives, because the browser may keep blobs on the disk
    // instead of in memory.
    const isCsv = format === "csv";
    const parts: Blob[] = isCsv ? [new Blob([byteOrderMark, csvHead(columns)])] : [];
    let done = 0;
    const onRows = (rows: readonly Row[], total: number | null): void => {
      parts.push(new Blob([isCsv ? csvRows(columns, rows) : jsonLines(rows)]));
      done += rows.length;
      setProgress({ done, total });
    };
    const { readAll } = props;
    const isWhole =
      readAll === undefined
        ? await walkPages({ fetchPage, rowId, limit: csvRowsMax, signal, onRows })
        : await readAll(onRows, signal);
    const name = isWhole ? id : `${id}-first-${done}`;
    const type = isCsv ? "text/csv;charset=utf-8" : "application/x-ndjson;charset=utf-8";
    saveFile(new Blob(parts, { type }), `${name}-${stamp()}.${format}`);
    const values = { count: done, shown: done.toLocaleString() };
    if (isWhole) toast({ tone: "success", title: t("table.csvDone", values) });
    else {
      toast({
        tone: "warning",
        title: t("table.csvCut", values),
        description: t("table.csvCutHelp"),
        durationMs: 0,
      });
    }
  });
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    const { signal } = controller;
    void run(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) toastError(error);
      })
      .finally(() => end());
    return () => controller.abort();
  }, [controller]);

  const { done, total } = progress;
  const values = { done: done.toLocaleString(), total: (total ?? 0).toLocaleString() };
  const label = total === null ? t("table.csvRead", values) : t("table.csvReadOf", values);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span role="status" className="tabular-nums">
        {label}
      </span>
      <span className="min-w-20 max-w-80 flex-1">
        {total !== null && (
          <ProgressBar
            value={done}
            max={props.readAll === undefined ? Math.min(total, csvRowsMax) : total}
          />
        )}
      </span>
      <Button size="sm" onClick={() => controller.abort()}>
        {t("table.csvCancel")}
      </Button>
    </div>
  );
}

/** Writes the local time as part of the file's name: `2026-11-21-1405`. */
function stamp(): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-");
  return `${day}-${two(now.getHours())}${two(now.getMinutes())}`;
}
