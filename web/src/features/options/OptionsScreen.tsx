import { lazy, type ReactNode, Suspense } from "react";
import { useT } from "#i18n/t.ts";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { DraftsProvider } from "#widgets/option-form/drafts.ts";
import { SettingsSkeleton } from "#widgets/option-form/SettingsSkeleton.tsx";
import { LoadedOptions } from "./LoadedOptions.tsx";
import { optionsSearch, type SettingsTab } from "./options.search.ts";
import { useOptionDrafts } from "./use-option-drafts.ts";

// The content of a tab is loaded when it is shown, because most visitors see only the first tab.
const FoundOptions = lazy(async () => ({
  default: (await import("./FoundOptions.tsx")).FoundOptions,
}));
const OptionsTab = lazy(async () => ({ default: (await import("./OptionsTab.tsx")).OptionsTab }));

/** The settings as root sees them: the first tab shows `account`, the others the options. */
export function OptionsScreen(props: {
  readonly account: ReactNode;
  /** The editor of model prices, shown in place of the section of that name. */
  readonly prices: ReactNode;
}) {
  const t = useT();
  const [search, setSearch] = useListSearch(optionsSearch);
  const { query, drafts, changedCount } = useOptionDrafts();
  const searching = search.keyword.trim() !== "";
  return (
    <DraftsProvider value={drafts}>
      <PageHeader
        title={t("settings.title")}
        description={
          changedCount === 0 ? undefined : t("settings.unsaved", { count: changedCount })
        }
        actions={
          <div className="w-72 max-w-full">
            <SearchInput
              value={search.keyword}
              shortcut="/"
              placeholder={t("settings.search")}
              onChange={(keyword) => setSearch({ keyword }, { replace: true })}
            />
          </div>
        }
      />
      {searching ? (
        <Suspense fallback={<SettingsSkeleton />}>
          <LoadedOptions query={query}>
            <FoundOptions
              keyword={search.keyword}
              onClear={() => setSearch({ keyword: "" }, { replace: true })}
            />
          </LoadedOptions>
        </Suspense>
      ) : (
        <Tabs<SettingsTab>
          aria-label={t("settings.tabs")}
          items={[
            { value: "personal", label: t("settings.tabPersonal") },
            { value: "operation", label: t("settings.tabOperation") },
            { value: "system", label: t("settings.tabSystem") },
            { value: "other", label: t("settings.tabOther") },
          ]}
          value={search.tab}
          onChange={(tab) => setSearch({ tab })}
        >
          <Suspense fallback={<SettingsSkeleton />}>
            {search.tab === "personal" ? (
              props.account
            ) : (
              <LoadedOptions query={query}>
                <OptionsTab tab={search.tab} prices={props.prices} />
              </LoadedOptions>
            )}
          </Suspense>
        </Tabs>
      )}
    </DraftsProvider>
  );
}
