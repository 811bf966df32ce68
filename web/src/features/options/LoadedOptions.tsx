import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { SettingsSkeleton } from "#widgets/option-form/SettingsSkeleton.tsx";
import type { useOptionDrafts } from "./use-option-drafts.ts";

/** Shows its children once the options have been read; until then a placeholder, or the error. */
export function LoadedOptions(props: {
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
  return <SettingsSkeleton />;
}
