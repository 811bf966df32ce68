import { useLocation } from "@tanstack/react-router";
import type { OptionSection } from "@tollgate/contract/options.ts";
import { useEffect } from "react";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { LogCleaning } from "./LogCleaning.tsx";
import { sectionTitle, shownSections } from "./option-texts.ts";
import { OptionSectionCard } from "./OptionSectionCard.tsx";
import { groupsAnchor, PriceSections } from "./PriceSections.tsx";
import type { SettingsSearch } from "./settings.search.ts";

const cleaning = "log-cleaning";

/** The sections of a tab below one another, with a list of them to jump from. */
export function OptionsTab(props: {
  readonly tab: OptionSection["tab"];
  readonly search: SettingsSearch;
  readonly onSearch: SetListSearch<SettingsSearch>;
}) {
  const { tab, search, onSearch } = props;
  const t = useT();
  const hash = useLocation({ select: (location) => location.hash });
  // The router has looked for it before the options were there.
  useEffect(() => jumpTo(hash), [hash]);
  const sections = shownSections.filter((section) => section.tab === tab);
  const anchors = [
    ...sections.flatMap((section) =>
      section.name === "prices"
        ? [
            { name: section.name, title: t("settings.modelPrices") },
            { name: groupsAnchor, title: t("settings.groups") },
          ]
        : [{ name: section.name, title: t(sectionTitle(section)) }],
    ),
    ...(tab === "operation" ? [{ name: cleaning, title: t("settings.logClean") }] : []),
  ];
  return (
    <div className="flex min-w-0 items-start gap-6">
      <nav
        aria-label={t("settings.sections")}
        className="sticky top-4 flex w-48 shrink-0 flex-col items-start gap-0.5 max-lg:hidden"
      >
        {anchors.map(({ name, title }) => (
          <LinkButton
            key={name}
            href={`#${name}`}
            size="sm"
            variant="ghost"
            {...(hash === name ? { "aria-current": "location" as const } : {})}
          >
            {title}
          </LinkButton>
        ))}
      </nav>
      <div className="flex min-w-0 flex-1 flex-col gap-4">
        {sections.map((section) =>
          section.name === "prices" ? (
            <PriceSections
              key={section.name}
              anchor={section.name}
              search={search}
              onSearch={onSearch}
            />
          ) : (
            <OptionSectionCard key={section.name} section={section} />
          ),
        )}
        {tab === "operation" && <LogCleaning anchor={cleaning} />}
      </div>
    </div>
  );
}

function jumpTo(name: string): void {
  document.getElementById(name)?.scrollIntoView({ block: "start" });
}
