/** The title of a screen, and its actions. */

import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";

export function PageHeader(props: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  const { title, description, actions } = props;
  const hasText = description !== undefined && description !== null;
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className={classes("min-w-0 flex-1", hasText ? "basis-56" : "basis-40 max-md:basis-24")}>
        <h1 className="text-xl font-semibold wrap-anywhere">{title}</h1>
        {hasText && <p className="mt-0.5 text-sm text-muted">{description}</p>}
      </div>
      {actions !== undefined && actions !== null && (
        <div className="flex flex-wrap items-center gap-2">{actions}</div>
      )}
    </header>
  );
}
