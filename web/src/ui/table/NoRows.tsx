import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import type { ListScreenProps } from "./list-screen-props.ts";
import type { ListSearch } from "./list-search.ts";
import type { ListState } from "./list-state.ts";

/** Shown instead of rows: why there are none, and what the user can do about it. */
export function NoRows(props: {
  readonly state: ListState;
  readonly empty: ListScreenProps<unknown, ListSearch>["empty"];
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onClear: () => void;
}) {
  const { state, empty, error, onRetry, onClear } = props;
  const t = useT();
  switch (state) {
    case "rows":
    case "loading":
      return null;
    case "empty":
      return <Empty {...empty} />;
    case "empty-filtered":
      return (
        <Empty
          picture="sieve"
          title={t("ui.tableNothingFound")}
          description={t("ui.tableNothingFoundHint")}
          action={<Button onClick={onClear}>{t("ui.tableClearFilters")}</Button>}
        />
      );
    case "failed":
      return <ErrorState error={error} onRetry={onRetry} />;
    case "offline":
      return (
        <Empty
          picture="away"
          title={t("ui.tableOffline")}
          description={t("ui.tableOfflineHint")}
          action={<Button onClick={onRetry}>{t("ui.retry")}</Button>}
        />
      );
    case "forbidden":
      return (
        <Empty
          picture="closed"
          title={t("ui.tableForbidden")}
          description={describeError(error).title}
        />
      );
  }
}
