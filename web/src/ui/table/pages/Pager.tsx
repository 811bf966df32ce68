import { ChevronLeft, ChevronRight } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Select } from "#ui/controls/Select.tsx";
import type { ListPage } from "#ui/table/column.ts";
import { useWide } from "#ui/table/use-browser.ts";
import { pageAfterResize, pageSteps } from "./page-steps.ts";
import { type PageSize, pageSizes, storePageSize } from "./page-size.ts";

/**
 * The pager below a list: `1–20 of 1,003`, the pages, and the page size. If the total is unknown,
 * it only offers the next and the previous page. A list that the server sent as a whole, with more
 * rows than a page, has no pages.
 */
export function Pager(props: {
  readonly page: number;
  readonly size: PageSize;
  readonly data: ListPage<unknown>;
  readonly onChange: (patch: { page: number; size?: PageSize }) => void;
}) {
  const { page, size, data, onChange } = props;
  const t = useT();
  const wide = useWide();
  const { total, capped = false, items } = data;
  const pages = total === null ? null : Math.max(1, Math.ceil(total / size));
  const open = pages === null || capped;
  const isLast = open ? items.length < size : page >= (pages ?? 1);
  const first = items.length > size ? 1 : (page - 1) * size + 1;
  const range = {
    first: first.toLocaleString(),
    last: (first + items.length - 1).toLocaleString(),
    total: `${(total ?? 0).toLocaleString()}${capped ? "+" : ""}`,
  };

  return (
    <nav aria-label={t("ui.tablePages")} className="flex items-center gap-x-3">
      <span className="mr-auto min-w-0 text-sm whitespace-nowrap text-muted tabular-nums">
        {items.length > 0 &&
          (total === null
            ? t("ui.tableRange", range)
            : wide
              ? t("ui.tableRangeOf", range)
              : `${range.first}–${range.last} / ${range.total}`)}
      </span>
      {items.length <= size && (
        <>
          <div className="w-28 max-md:w-18">
            <Select<PageSize>
              aria-label={t("ui.tablePageSize")}
              items={pageSizes.map((value) => ({
                value,
                label: wide ? t("ui.tablePageSizeOf", { count: value }) : String(value),
              }))}
              value={size}
              onChange={(next) => {
                storePageSize(next);
                onChange({ size: next, page: pageAfterResize(page, size, next) });
              }}
            />
          </div>
          <div className="flex items-center gap-0.5">
            <IconButton
              label={t("ui.tablePrevious")}
              icon={<ChevronLeft size={16} aria-hidden />}
              disabled={page <= 1}
              onClick={() => onChange({ page: page - 1 })}
            />
            {!wide ? null : pages === null ? (
              <PageNumber page={page} current onSelect={() => {}} />
            ) : (
              <Pages page={page} pages={pages} onSelect={(next) => onChange({ page: next })} />
            )}
            <IconButton
              label={t("ui.tableNext")}
              icon={<ChevronRight size={16} aria-hidden />}
              disabled={isLast}
              onClick={() => onChange({ page: page + 1 })}
            />
          </div>
        </>
      )}
    </nav>
  );
}

function Pages(props: {
  readonly page: number;
  readonly pages: number;
  readonly onSelect: (page: number) => void;
}) {
  const { page, pages, onSelect } = props;
  return (
    <span className="flex items-center gap-0.5">
      {pageSteps(page, pages).map((step, index) =>
        step === "gap" ? (
          // A gap has no page number to use as key. There are at most two gaps, always in the same
          // positions.
          <span key={`gap-${index < 3}`} className="w-6 text-center text-faint" aria-hidden>
            …
          </span>
        ) : (
          <PageNumber key={step} page={step} current={step === page} onSelect={onSelect} />
        ),
      )}
    </span>
  );
}

function PageNumber(props: {
  readonly page: number;
  readonly current: boolean;
  readonly onSelect: (page: number) => void;
}) {
  const { page, current, onSelect } = props;
  const t = useT();
  return (
    <button
      type="button"
      aria-label={t("ui.tablePage", { page })}
      aria-current={current ? "page" : undefined}
      className="h-control min-w-8 rounded px-1.5 text-sm tabular-nums hover:bg-hover aria-[current]:bg-active aria-[current]:font-medium"
      onClick={() => {
        if (!current) onSelect(page);
      }}
    >
      {page}
    </button>
  );
}
