import type { ComponentProps, ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { AnchoredCard } from "#ui/layout/AnchoredCard.tsx";
import { type SectionName, sectionTitles } from "./sections.ts";

/** A section of the account screen: title, help text and content. */
export function Part(
  props: Omit<ComponentProps<typeof AnchoredCard>, "anchor" | "title"> & {
    readonly name: SectionName;
  },
) {
  const { name, ...rest } = props;
  const t = useT();
  return <AnchoredCard anchor={name} title={t(sectionTitles[name])} {...rest} />;
}

/** A number with its label. */
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
