/** Placeholders with the shape of what follows: a list, a form, a card of settings. */

import { Skeleton } from "./Skeleton.tsx";

/** Widths that differ from line to line, so that a placeholder looks like text. */
const widths = ["58%", "42%", "66%", "35%", "51%"] as const;

const fieldsDefault = 5;
const rowsDrawn = 8;

/** The shape of a form: labels, each with a control below. */
export function FormOutline({ fields = fieldsDefault }: { readonly fields?: number }) {
  return (
    <div className="flex flex-col gap-5" aria-hidden>
      {Array.from({ length: fields }, (_, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton width={`${16 + ((index * 7) % 12)}%`} />
          <span className="h-control rounded border border-line" />
        </div>
      ))}
    </div>
  );
}

/** The shape of a card with a head, settings and a foot. */
export function CardOutline({ fields = fieldsDefault }: { readonly fields?: number }) {
  return (
    <div className="min-w-0 rounded border border-line bg-panel" aria-hidden>
      <div className="flex min-h-11 items-center border-b border-line px-4">
        <Skeleton width="9rem" />
      </div>
      <div className="p-4">
        <FormOutline fields={fields} />
      </div>
    </div>
  );
}

/** The shape of a screen with a list: title, search, head and rows. */
export function ListOutline() {
  return (
    <div className="flex flex-col gap-3" aria-hidden>
      <Heading />
      <span className="h-control w-64 max-w-full rounded border border-line" />
      <div className="overflow-hidden rounded border border-line bg-panel">
        <div className="h-9 border-b border-line bg-sunken max-md:hidden" />
        {Array.from({ length: rowsDrawn }, (_, row) => (
          <div
            key={row}
            className="flex h-row items-center gap-6 border-b border-line px-3 last:border-b-0 max-md:h-15"
          >
            {Array.from({ length: 5 }, (_, cell) => (
              <span
                key={cell}
                className={`min-w-0 flex-1 ${cell > 1 ? "max-md:hidden" : ""} ${cell > 3 ? "max-lg:hidden" : ""}`}
              >
                <Skeleton width={widths[(row + cell * 2) % widths.length]} />
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The shape of a settings page: title, tabs and cards. */
export function SettingsOutline() {
  return (
    <div className="flex max-w-6xl flex-col gap-4" aria-hidden>
      <Heading />
      <CardOutline fields={3} />
      <CardOutline fields={3} />
    </div>
  );
}

/** The shape of a page of text. */
export function TextOutline() {
  return (
    <div className="flex flex-col gap-3" aria-hidden>
      <Heading />
      {widths.map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}

function Heading() {
  return (
    <div className="flex flex-col gap-2 pb-1">
      <Skeleton width="10rem" height={24} />
      <Skeleton width="22rem" />
    </div>
  );
}
