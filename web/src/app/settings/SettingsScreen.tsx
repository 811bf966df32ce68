import { role } from "@tollgate/contract/endpoints/users.ts";
import { lazy, Suspense } from "react";
import { OptionsScreen } from "#features/options/OptionsScreen.tsx";
import { useT, withTexts } from "#i18n/t.ts";
import { CardOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { SettingsSkeleton } from "#widgets/option-form/SettingsSkeleton.tsx";
import { useSession } from "#widgets/server/use-status.ts";

// The tabs are loaded when they are first shown; account and security also load their own texts.
const AccountScreen = lazy(async () => ({
  default: (await withTexts("account", import("#features/account/AccountScreen.tsx")))
    .AccountScreen,
}));
const OrganisationsScreen = lazy(async () => ({
  default: (
    await withTexts("organisations", import("#features/organisations/OrganisationsScreen.tsx"))
  ).OrganisationsScreen,
}));
const PricesScreen = lazy(async () => ({
  default: (await withTexts("prices", import("#features/prices/PricesScreen.tsx"))).PricesScreen,
}));
const SecurityScreen = lazy(async () => ({
  default: (await withTexts("security", import("#features/security/SecurityScreen.tsx")))
    .SecurityScreen,
}));

/**
 * The settings page. Features must not import one another, so this module in `app` combines them:
 * every user sees account and security, root also the options and the prices.
 */
export function SettingsScreen() {
  const t = useT();
  const isRoot = useSession()?.role === role.enum.root;
  return (
    <Page>
      <div className="flex w-full max-w-6xl flex-col gap-4">
        {isRoot ? (
          <OptionsScreen account={<Account />} prices={<PricesScreen />} />
        ) : (
          <>
            <PageHeader title={t("settings.title")} />
            <Suspense fallback={<SettingsSkeleton />}>
              <Account />
            </Suspense>
          </>
        )}
      </div>
    </Page>
  );
}

function Account() {
  return (
    <AccountScreen
      organisations={
        <Suspense>
          <OrganisationsScreen />
        </Suspense>
      }
      security={
        <Suspense fallback={<CardOutline fields={2} />}>
          <SecurityScreen />
        </Suspense>
      }
    />
  );
}
