import { type ReactNode, useId } from "react";

/** A section of a page, with a heading. */
export function Section(props: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** The id of the section, to which `#id` in the address leads. */
  id?: string | undefined;
  children: ReactNode;
}) {
  const { title, description, actions, id, children } = props;
  const titleId = useId();
  return (
    <section
      id={id}
      aria-labelledby={titleId}
      className="flex scroll-mt-4 max-xl:scroll-mt-14 flex-col gap-3"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 id={titleId} className="text-lg font-semibold wrap-anywhere">
            {title}
          </h2>
          {description !== undefined && description !== null && (
            <p className="text-sm wrap-anywhere text-muted">{description}</p>
          )}
        </div>
        {actions !== undefined && actions !== null && (
          <div className="flex flex-wrap items-center gap-2">{actions}</div>
        )}
      </div>
      {children}
    </section>
  );
}
