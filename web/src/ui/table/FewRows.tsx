import type { ReactNode } from "react";
import { LazyPicture } from "#ui/picture/LazyPicture.tsx";

/** A list of at most this many rows says what to do next. */
export const fewRowsMax = 3;

export type FewRowsHint = {
  readonly title: string;
  readonly description: ReactNode;
  readonly action: ReactNode;
};

/** Shown below a list that has only begun: what its first rows are good for, and the next step. */
export function FewRows({ hint }: { readonly hint: FewRowsHint | undefined }) {
  if (hint === undefined) return null;
  const { title, description, action } = hint;
  return (
    <aside
      aria-label={title}
      className="flex flex-wrap items-center gap-x-6 gap-y-3 rounded border border-dashed border-control px-5 py-4"
    >
      <span className="max-md:hidden">
        <LazyPicture name="passing" />
      </span>
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-medium">{title}</p>
        <p className="mt-0.5 max-w-140 text-sm text-pretty text-muted">{description}</p>
      </div>
      {action}
    </aside>
  );
}
