import type { ComponentProps } from "react";
import { useT } from "#i18n/t.ts";
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
