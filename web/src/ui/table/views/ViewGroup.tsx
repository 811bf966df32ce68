import type { ReactNode } from "react";

/** Views that belong together, below their heading; nothing where there are none. */
export function ViewGroup(props: {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
}) {
  if (props.count === 0) return null;
  return (
    <section className="flex flex-col border-t border-line p-1 first:border-t-0">
      <h3 className="px-2 py-1 text-xs text-muted">{props.title}</h3>
      <ul className="flex flex-col">{props.children}</ul>
    </section>
  );
}

/** The part of the popup below its views. */
export function ViewFoot({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col gap-2 border-t border-line p-3">{children}</div>;
}

/** Says that there are no views. */
export function NoViews({ children }: { readonly children: ReactNode }) {
  return <p className="px-3 py-3 text-sm text-muted">{children}</p>;
}
