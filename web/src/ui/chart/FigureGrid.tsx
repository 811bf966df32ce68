import type { ReactNode } from "react";
import { TipArea } from "#ui/table/cells/TipArea.tsx";

type GridFigure = {
  readonly name: string;
  readonly value: ReactNode;
  /** A line below the value, such as its change. */
  readonly note: ReactNode;
};

/** A few large figures side by side, each with its name and a note. */
export function FigureGrid({ figures }: { readonly figures: readonly GridFigure[] }) {
  return (
    <TipArea>
      <dl className="grid grid-cols-2 overflow-hidden rounded border border-line bg-panel md:grid-cols-3 2xl:grid-cols-6">
        {figures.map(({ name, value, note }) => (
          // The outer lines fall on those of the frame, and a last row that is not full has no gap.
          <div
            key={name}
            className="-mr-px -mb-px flex min-w-0 flex-col gap-0.5 border-r border-b border-line px-4 py-3"
          >
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="text-lg font-semibold md:text-xl wrap-anywhere tabular-nums">{value}</dd>
            <dd className="text-xs text-muted">{note}</dd>
          </div>
        ))}
      </dl>
    </TipArea>
  );
}
