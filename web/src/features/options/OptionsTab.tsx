import { useLocation } from "@tanstack/react-router";
import type { OptionSection } from "@tollgate/contract/options/options.ts";
import { Fragment, type ReactNode, useEffect } from "react";
import { useT } from "#i18n/t.ts";
import { SectionLinks } from "#ui/layout/SectionLinks.tsx";
import { LogCleaning } from "./LogCleaning.tsx";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { shownSections } from "#widgets/option-form/option-texts.ts";
import { sectionKey } from "#i18n/kind-keys.ts";
import { OptionGrid, SectionCard } from "#widgets/option-form/SectionCard.tsx";
import { OwnedOptions } from "./OwnedOptions.tsx";
import { OptionSectionCard } from "./OptionSectionCard.tsx";
import { groupNames } from "./option-drafts.ts";

const groupsAnchor = "groups";
const cleaning = "log-cleaning";

/** The sections of one tab, one below the other, with links to them at the side. */
export function OptionsTab(props: {
  readonly tab: OptionSection["tab"];
  /** The editor of model prices, shown in place of their section. */
  readonly prices: ReactNode;
}) {
  const { tab, prices } = props;
  const t = useT();
  const hash = useLocation({ select: (location) => location.hash });
  // The router scrolls to the address's anchor too early, before the options have been read, so it
  // is done here again.
  useEffect(() => jumpTo(hash), [hash]);
  const sections = shownSections(useSelfUse()).filter((section) => section.tab === tab);
  const anchors = [
    ...sections.flatMap((section) =>
      section.name === "prices"
        ? [
            { name: section.name, title: t("settings.modelPrices") },
            { name: groupsAnchor, title: t("settings.groups") },
          ]
        : [{ name: section.name, title: t(sectionKey(section.name)) }],
    ),
    ...(tab === "operation" ? [{ name: cleaning, title: t("settings.logClean") }] : []),
  ];
  return (
    <div className="flex min-w-0 items-start gap-6 max-xl:flex-col max-xl:gap-4">
      <SectionLinks aria-label={t("settings.sections")} sections={anchors} />
      <div className="flex w-full min-w-0 flex-1 flex-col gap-4">
        <OwnedOptions />
        {sections.map((section) =>
          section.name === "prices" ? (
            <Fragment key={section.name}>
              {prices}
              <GroupsSection />
            </Fragment>
          ) : (
            <OptionSectionCard key={section.name} section={section} />
          ),
        )}
        {tab === "operation" && <LogCleaning anchor={cleaning} />}
      </div>
    </div>
  );
}

function GroupsSection() {
  const t = useT();
  return (
    <SectionCard
      anchor={groupsAnchor}
      title={t("settings.groups")}
      help={t("settings.groupsHelp")}
      keys={groupNames}
    >
      <OptionGrid names={groupNames} />
    </SectionCard>
  );
}

/** Scrolls to the section or the option of this name, and focuses the option's control. */
function jumpTo(name: string): void {
  const section = document.getElementById(name);
  section?.scrollIntoView({ block: "start" });
  if (section !== null || name === "") return;
  const option = document.querySelector<HTMLElement>(`[data-option="${CSS.escape(name)}"]`);
  option?.scrollIntoView({ block: "center" });
  // Inputs and switches are tried first, because the first button is the "?" beside the label.
  const control = option?.querySelector<HTMLElement>("input, textarea, [role=switch]");
  (control ?? option?.querySelector<HTMLElement>("button"))?.focus({ preventScroll: true });
}
