import { Muted } from "#ui/feedback/Muted.tsx";

/** A value before and after a change; null: there is none. */
export type ChangeLine = {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** Named values before and after a change, one below the other. */
export function ChangeList({ lines }: { readonly lines: readonly ChangeLine[] }) {
  return (
    <dl className="flex min-w-0 flex-col text-sm">
      {lines.map(({ name, before, after }) => (
        <div
          key={name}
          className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 border-t border-line py-1"
        >
          <dt className="min-w-0 wrap-anywhere text-muted">{name}</dt>
          <dd className="ml-auto min-w-0 text-right wrap-anywhere tabular-nums">
            <Muted>{before ?? "–"} → </Muted>
            {after ?? "–"}
          </dd>
        </div>
      ))}
    </dl>
  );
}
