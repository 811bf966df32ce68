import type { ReactNode } from "react";
import { useLanguage } from "#i18n/t.ts";

/** A named state of a part. */
export function Example(props: {
  title: string;
  /** Takes the whole width. */
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

/** Examples in columns as wide as a form's. */
export function Examples(props: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] items-start gap-x-6 gap-y-5">
      {props.children}
    </div>
  );
}

/** Sample text in the gallery's language; it is not the product's text, so no catalogue has it. */
export function useSample(): (zh: string, en: string) => string {
  const language = useLanguage();
  return (zh, en) => (language === "zh" ? zh : en);
}
