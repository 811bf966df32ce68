import type { ReactNode } from "react";
import { Page } from "#ui/layout/Page.tsx";
import { DraftsProvider } from "#widgets/option-form/drafts.ts";
import { LoadedOptions } from "./LoadedOptions.tsx";
import { useOptionDrafts } from "./use-option-drafts.ts";

/**
 * Reads the options and lets the screen inside it edit them, as the settings do. For other screens
 * that edit some of the options.
 */
export function OptionDraftsScreen({ children }: { readonly children: ReactNode }) {
  const { query, drafts } = useOptionDrafts();
  if (query.data === undefined) {
    return (
      <Page>
        <LoadedOptions query={query}>{null}</LoadedOptions>
      </Page>
    );
  }
  return <DraftsProvider value={drafts}>{children}</DraftsProvider>;
}
