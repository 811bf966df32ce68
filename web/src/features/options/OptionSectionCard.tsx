import type { OptionName, OptionSection } from "@tollgate/contract/options/options.ts";
import { useT } from "#i18n/t.ts";
import { BotTrial } from "./BotTrial.tsx";
import { MailTest } from "./MailTest.tsx";
import { StartingBalanceNote } from "./StartingBalanceNote.tsx";
import { sectionKey } from "#i18n/kind-keys.ts";
import { OptionGrid, SectionCard } from "#widgets/option-form/SectionCard.tsx";

/** A section of options. `shown` limits it to the options that a search has found. */
export function OptionSectionCard(props: {
  readonly section: OptionSection;
  readonly shown?: readonly OptionName[];
}) {
  const { section, shown = section.keys } = props;
  const t = useT();
  return (
    <SectionCard anchor={section.name} title={t(sectionKey(section.name))} keys={section.keys}>
      <OptionGrid names={shown} />
      {section.name === "registration" && <StartingBalanceNote />}
      {section.name === "mail" && <MailTest />}
      {section.name === "botCheck" && <BotTrial />}
    </SectionCard>
  );
}
