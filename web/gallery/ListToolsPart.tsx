import { Suspense, useState } from "react";
import { Button } from "#ui/controls/Button.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { BulkBar } from "#ui/table/tools/BulkBar.tsx";
import { CsvExport, DisplayPopup, ShortcutsDialog, ViewsPopup } from "#ui/table/lazy-parts.ts";
import { type Book, books, bulkActions, columns, pretendToRead } from "./books.tsx";

const rowId = (row: Book) => String(row.id);
const ignore = () => {};

const toolSettings = {
  refreshSeconds: 0 as const,
  density: "compact" as const,
  columns: [
    { id: "title", shown: true },
    { id: "author", shown: false },
  ],
};

/** The popups of a list's tools, each opened by a button of its own. */
export function ListToolsPart() {
  const [open, setOpen] = useState<{ name: string; anchor: HTMLElement } | null>(null);
  const [files, setFiles] = useState(0);
  const [count, setCount] = useState(3);
  const tool = open && {
    id: "gallery-tools",
    columns,
    names: ["keyword", "sort"],
    onSearch: ignore,
    onHelp: () => setOpen({ ...open, name: "help" }),
    anchor: open.anchor,
    settings: toolSettings,
    onClose: () => setOpen(null),
  };
  const button = (name: string, label: string) => (
    <Button
      onClick={({ currentTarget: anchor }) =>
        setOpen(open?.name === name ? null : { name, anchor })
      }
    >
      {label}
    </Button>
  );
  return (
    <Section title="Tools, file, keys, all that match">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          {button("views", "Views")}
          {button("display", "Columns")}
          {button("help", "Keys")}
          <Button onClick={() => setFiles(files + 1)}>Write a file</Button>
        </div>
        <Suspense>
          {tool !== null && open?.name === "views" && <ViewsPopup {...tool} />}
          {tool !== null && open?.name === "display" && <DisplayPopup {...tool} />}
          {open?.name === "help" && <ShortcutsDialog onClose={() => setOpen(null)} />}
          {files > 0 && (
            <CsvExport
              key={files}
              id="gallery"
              columns={columns}
              rowId={rowId}
              fetchPage={({ page, size }) =>
                pretendToRead(() => ({
                  items: books.slice((page - 1) * size, page * size),
                  total: books.length,
                }))
              }
              onEnd={() => setFiles(0)}
            />
          )}
        </Suspense>
        <BulkBar
          selected={books.slice(0, count)}
          count={count}
          matching={{
            count: books.length,
            isCut: false,
            chosen: count > 3,
            onChoose: () => setCount(20),
            read: () => pretendToRead(() => books),
          }}
          actions={bulkActions}
          onResult={ignore}
          onClear={() => setCount(count === 0 ? 3 : 0)}
        />
      </div>
    </Section>
  );
}
