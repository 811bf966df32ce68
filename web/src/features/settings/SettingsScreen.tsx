import { role } from "@tollgate/contract/users.ts";
import { lazy, type ReactNode, Suspense } from "react";
import { useT, withTexts } from "#i18n/t.ts";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { useSession } from "#widgets/use-status.ts";
import { settingsSearch, type SettingsTab } from "./settings.search.ts";
import { DraftsProvider, useOptionDrafts } from "./use-option-drafts.ts";

// Nobody sees all tabs at once, and most only ever see the first.
const FoundOptions = lazy(async () => ({
  default: (await import("./FoundOptions.tsx")).FoundOptions,
}));
const OptionsTab = lazy(async () => ({ default: (await import("./OptionsTab.tsx")).OptionsTab }));
const PersonalTab = lazy(async () => ({
  default: (await withTexts("account", import("./PersonalTab.tsx"))).PersonalTab,
}));

/** The own account for everybody; for root the options of the server besides. */
export function SettingsScreen() {
  const t = useT();
  const isRoot = useSession()?.role === role.enum.root;
  return (
    <Page>
      <div className="flex w-full max-w-6xl flex-col gap-4">
        {isRoot ? (
          <RootSettings />
        ) : (
          <>
            <PageHeader title={t("settings.title")} />
            <Suspense fallback={<Waiting />}>
              <PersonalTab />
            </Suspense>
          </>
        )}
      </div>
    </Page>
  );
}

function RootSettings() {
  const t = useT();
  const [search, setSearch] = useListSearch(settingsSearch);
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
        <Suspense fallback={<Waiting />}>
          <Loaded query={query}>
            <FoundOptions keyword={search.keyword} />
          </Loaded>
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
          <Suspense fallback={<Waiting />}>
            {search.tab === "personal" ? (
              <PersonalTab />
            ) : (
              <Loaded query={query}>
                <OptionsTab tab={search.tab} search={search} onSearch={setSearch} />
              </Loaded>
            )}
          </Suspense>
        </Tabs>
      )}
    </DraftsProvider>
  );
}

/** The options once they are read, and what stands there until then. */
function Loaded(props: {
  readonly query: ReturnType<typeof useOptionDrafts>["query"];
  readonly children: ReactNode;
}) {
  const { query } = props;
  const t = useT();
  if (query.data !== undefined) return props.children;
  if (query.error !== null) {
    return (
      <ErrorState
        title={t("settings.readFailed")}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <Waiting />;
}

function Waiting() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton height={180} />
      <Skeleton height={180} />
    </div>
  );
}
