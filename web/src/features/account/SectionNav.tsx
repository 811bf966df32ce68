import { useT } from "#i18n/t.ts";
import { SectionLinks } from "#ui/layout/SectionLinks.tsx";
import { type SectionName, sectionTitles } from "./sections.ts";

/** Links to the sections of the account screen. */
export function SectionNav({ names }: { readonly names: readonly SectionName[] }) {
  const t = useT();
  return (
    <SectionLinks
      aria-label={t("settings.sections")}
      sections={names.map((name) => ({ name, title: t(sectionTitles[name]) }))}
    />
  );
}
