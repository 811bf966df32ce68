import { Copy, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge } from "#ui/feedback/Badge.tsx";
import type { BulkAction, Column, RowAction } from "#ui/table/column.ts";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { InlineNumber } from "#ui/table/cells/InlineNumber.tsx";
import { SwitchCell } from "#ui/table/cells/SwitchCell.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import type { Tone } from "#ui/tone.ts";

/** Made-up books, so that the gallery's lists have rows without using words of the product. */
export type Book = {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly shelf: string;
  readonly state: "on loan" | "on shelf" | "lost";
  readonly code: string;
  readonly loans: number;
  readonly rank: number;
  readonly lendable: boolean;
  readonly seenAt: number;
};

export const authors = ["Ines Abara", "陈青禾", "J. Whitlock", "Ола Берг", "M. de Freitas"];
const titles = [
  "Tide tables",
  "雨季手记",
  "The glass orchard",
  "A field guide to fog",
  "长路与短歌",
];
const shelves = ["north", "south", "attic"];
const states = ["on shelf", "on loan", "on shelf", "lost"] as const;
const tones: Readonly<Record<Book["state"], Tone>> = {
  "on shelf": "success",
  "on loan": "info",
  lost: "danger",
};

function pick<Value>(
  values: readonly [Value, ...Value[]] | readonly Value[],
  index: number,
): Value {
  const value = values[index % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

function makeBooks(count: number): readonly Book[] {
  const now = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, index) => ({
    id: 1000 + count - index,
    title: `${pick(titles, index * 3)}${index % 11 === 4 ? ", with notes on everything that was left out of the first edition" : ""}`,
    author: pick(authors, index),
    shelf: pick(shelves, index * 5),
    state: pick(states, index * 7),
    code: `bk-${(index * 7919 + 104_729).toString(36)}••••${(index * 31 + 1296).toString(36)}`,
    loans: (index * 7919) % 134_000,
    rank: index % 10,
    lendable: index % 3 !== 0,
    seenAt: index % 13 === 0 ? 0 : now - index * index * 41,
  }));
}

export const books = makeBooks(1003);

export const columns: readonly Column<Book>[] = [
  {
    id: "id",
    title: "ID",
    rank: 4,
    width: 64,
    sort: true,
    cell: (row) => row.id,
    csv: (row) => String(row.id),
  },
  {
    id: "title",
    title: "Title",
    rank: 1,
    width: 200,
    grow: 1,
    card: "title",
    sort: true,
    cell: (row) => <CutText>{row.title}</CutText>,
    csv: (row) => row.title,
  },
  {
    id: "author",
    title: "Author",
    rank: 2,
    width: 120,
    card: "fact",
    cell: (row) => row.author,
  },
  {
    id: "shelf",
    title: "Shelf",
    rank: 5,
    width: 80,
    cell: (row) => row.shelf,
    hidden: true,
    csv: (row) => row.shelf,
  },
  {
    id: "state",
    title: "State",
    rank: 1,
    width: 90,
    card: "lead",
    cell: (row) => <Badge tone={tones[row.state]}>{row.state}</Badge>,
  },
  {
    id: "code",
    title: "Code",
    rank: 3,
    width: 180,
    cell: (row) => <CopyCell text={row.code} label="code" />,
  },
  {
    id: "loans",
    title: "Loans",
    rank: 3,
    width: 80,
    align: "right",
    sort: true,
    card: "fact",
    cell: (row) => (
      <Tip text={row.loans.toLocaleString()}>{`${(row.loans / 1000).toFixed(1)}k`}</Tip>
    ),
  },
  {
    id: "rank",
    title: "Rank",
    rank: 3,
    width: 90,
    align: "right",
    cell: (row) => <Rank book={row} />,
  },
  { id: "lendable", title: "Lendable", rank: 4, width: 90, cell: (row) => <Lendable book={row} /> },
  {
    id: "seenAt",
    title: "Seen",
    rank: 4,
    width: 110,
    sort: true,
    card: "fact",
    cell: (row) => <TimeCell seconds={row.seenAt} none="never" />,
  },
];

/** Pretends to save. `refuses`: it fails, so that the gallery shows how a change is rolled back. */
function pretendToSave(refuses: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(() => (refuses ? reject(new Error("That shelf is closed")) : resolve()), 700);
  });
}

/** Returns what `read` returns, after a delay like that of a server. */
export function pretendToRead<Answer>(read: () => Answer): Promise<Answer> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(read()), 300);
  });
}

function Rank({ book }: { readonly book: Book }) {
  const [rank, setRank] = useState(book.rank);
  return (
    <InlineNumber
      value={rank}
      label={`Rank of ${book.title}`}
      min={0}
      max={99}
      onSave={async (next) => {
        await pretendToSave(next === 13);
        setRank(next);
      }}
    />
  );
}

function Lendable({ book }: { readonly book: Book }) {
  const [lendable, setLendable] = useState(book.lendable);
  return (
    <SwitchCell
      checked={lendable}
      label={`Lend ${book.title}`}
      onChange={async (next) => {
        await pretendToSave(book.state === "lost");
        setLendable(next);
      }}
    />
  );
}

export const rowActions: readonly RowAction<Book>[] = [
  { key: "edit", label: "Edit", icon: <Pencil size={14} />, onSelect: () => {} },
  {
    key: "remove",
    label: "Remove",
    tone: "danger",
    icon: <Trash2 size={14} />,
    onSelect: () => {},
    disabled: (row) => (row.state === "on loan" ? "It is on loan." : undefined),
  },
  { key: "copy", label: "Duplicate", icon: <Copy size={14} />, onSelect: () => {} },
  { key: "find", label: "Mark as found", onSelect: () => {}, shown: (row) => row.state === "lost" },
  {
    key: "label",
    label: "Print a label",
    onSelect: () => {},
    disabled: (row) => (row.code === "" ? "It has no code." : undefined),
  },
];

export const bulkActions: readonly BulkAction<Book>[] = [
  {
    key: "shelve",
    label: "Shelve",
    onSelect: async (rows) => {
      await pretendToSave(false);
      const failed = rows.filter((row) => row.state === "lost");
      return {
        done: rows.length - failed.length,
        failed: failed.map((row) => ({ id: String(row.id), reason: "It is lost" })),
      };
    },
  },
  { key: "remove", label: "Remove", tone: "danger", onSelect: () => pretendToSave(false) },
];
