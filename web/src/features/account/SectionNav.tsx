import { useLocation } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { type SectionName, sectionTitles } from "./sections.ts";

/** Links to the parts: beside them on wide screens, else in a line above. */
export function SectionNav({ names }: { readonly names: readonly SectionName[] }) {
  const t = useT();
  const hash = useLocation({ select: (location) => location.hash });
  return (
    <nav
      aria-label={t("settings.sections")}
      className="flex gap-0.5 max-lg:w-full max-lg:overflow-x-auto lg:sticky lg:top-4 lg:w-44 lg:shrink-0 lg:flex-col lg:items-start"
    >
      {names.map((name) => (
        <LinkButton
          key={name}
          href={`#${name}`}
          size="sm"
          variant="ghost"
          {...(hash === name ? { "aria-current": "location" as const } : {})}
        >
          <span className="whitespace-nowrap">{t(sectionTitles[name])}</span>
        </LinkButton>
      ))}
    </nav>
  );
}
