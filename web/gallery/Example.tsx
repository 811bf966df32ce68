import type { ReactNode } from "react";
import { useLanguage } from "#i18n/t.ts";

/** One state of a part of the kit, with a name. */
export function Example(props: {
  title: string;
  /** Gives the example the full width. */
  wide?: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <div className={props.wide === true ? "col-span-full min-w-0" : "min-w-0"}>
      <p className="mb-1.5 text-xs text-muted">{props.title}</p>
      {props.children}
    </div>
  );
}

/** Examples side by side, in columns as wide as those of a form. */
export function Examples(props: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] items-start gap-x-6 gap-y-5">
      {props.children}
    </div>
  );
}

/**
 * Returns a function that chooses sample text in the gallery's language. The catalogues do not have
 * this text, because it is not the product's.
 */
export function useSample(): (zh: string, en: string) => string {
  const language = useLanguage();
  return (zh, en) => (language === "zh" ? zh : en);
}
