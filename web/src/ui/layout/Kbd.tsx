import type { ReactNode } from "react";

/** The name of a key on the keyboard, drawn like a key. */
export function Kbd(props: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-inner border border-line bg-sunken px-1 font-sans text-xs text-muted">
      {props.children}
    </kbd>
  );
}
