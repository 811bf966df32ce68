import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { findOptions } from "./option-search.ts";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { shownSections } from "#widgets/option-form/option-texts.ts";
import { OptionSectionCard } from "./OptionSectionCard.tsx";

/** The options that match a keyword, from all tabs, each within its section. */
export function FoundOptions(props: { readonly keyword: string; readonly onClear: () => void }) {
  const { keyword, onClear } = props;
  const t = useT();
  const selfUse = useSelfUse();
  const sections = useMemo(() => shownSections(selfUse), [selfUse]);
  const found = useMemo(() => findOptions(sections, keyword, t), [sections, keyword, t]);
  if (found.length === 0) {
    return (
      <Empty
        picture="sieve"
        title={t("settings.searchNone", { keyword })}
        description={t("settings.searchNoneBody")}
        action={<Button onClick={onClear}>{t("settings.searchClear")}</Button>}
      />
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {found.map(({ name, keys }) => {
        const section = sections.find((each) => each.name === name);
        if (section === undefined) return null;
        return <OptionSectionCard key={name} section={section} shown={keys} />;
      })}
    </div>
  );
}
