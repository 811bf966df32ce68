import { type ReactNode, useId } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { type SectionName, sectionTitles } from "./sections.ts";

/** A part of the tab, found by its anchor. */
export function Part(props: {
  readonly name: SectionName;
  readonly help?: ReactNode;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  const { name, help, actions, flush } = props;
  const t = useT();
  const titleId = useId();
  return (
    <section id={name} aria-labelledby={titleId} className="min-w-0 scroll-mt-4">
      <Card title={<h2 id={titleId}>{t(sectionTitles[name])}</h2>} actions={actions} flush={flush}>
        {help === undefined ? (
          props.children
        ) : (
          <div className="flex min-w-0 flex-col gap-4">
            <p className="text-sm">
              <Muted>{help}</Muted>
            </p>
            {props.children}
          </div>
        )}
      </Card>
    </section>
  );
}

/** A number with what it is. */
export function Figure(props: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="text-xs">
        <Muted>{props.label}</Muted>
      </div>
      <div className="text-lg font-semibold tabular-nums">{props.children}</div>
    </div>
  );
}
