import type { ReactNode } from "react";
import { Page } from "#ui/layout/Page.tsx";
import { DraftsProvider } from "#widgets/option-form/drafts.ts";
import { LoadedOptions } from "./LoadedOptions.tsx";
import { useOptionDrafts } from "./use-option-drafts.ts";

/** The options for a screen of its own that edits some of them, as the settings do. */
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
