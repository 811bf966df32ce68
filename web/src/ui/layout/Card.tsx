import type { ReactNode } from "react";

/** A box with a border. Cards must not be nested. */
export function Card(props: {
  title?: ReactNode;
  actions?: ReactNode;
  /** Leaves out the padding, for tables and lists that have a padding of their own. */
  flush?: boolean | undefined;
  children: ReactNode;
}) {
  const { title, actions, flush = false, children } = props;
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <div className="min-w-0 rounded border border-line bg-panel">
      {hasHead && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <div className="min-w-0 font-medium">{title}</div>
          {actions !== undefined && (
            <div className="flex min-w-0 flex-wrap items-center gap-2">{actions}</div>
          )}
        </div>
      )}
      <div className={flush ? "" : "p-4"}>{children}</div>
    </div>
  );
}

/**
 * The bottom line of a card, with its buttons. `sticky`: stays in view while the card scrolls,
 * because something in it is unsaved.
 */
export function CardFoot({ sticky, children }: { sticky: boolean; children: ReactNode }) {
  const place = sticky ? "sticky bottom-0 z-10 -mx-4 -mb-4 border-t border-line px-4 py-3" : "";
  return (
    <div className={`flex flex-wrap items-center gap-2 rounded-b bg-panel ${place}`}>
      {children}
    </div>
  );
}
