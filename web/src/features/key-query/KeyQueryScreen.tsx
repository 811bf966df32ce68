import type { OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { KeyRound } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { listSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import {
  type EnteredKey,
  readKeyLogs,
  useEnteredKey,
  useKeyLogs,
  useKeyUsage,
} from "./key-query.api.ts";
import { keyLogColumns } from "./key-query.columns.tsx";
import { KeyForm } from "./KeyForm.tsx";
import { KeyUsage } from "./KeyUsage.tsx";

/**
 * `/query`, for everybody: limits, use and calls of the API key that the visitor enters. The key
 * stays in the memory of the page, so it has to be entered again after a reload.
 */
export function KeyQueryScreen() {
  const [entry, setKey] = useEnteredKey();
  const usage = useKeyUsage(entry);
  if (entry === null || usage.data === undefined) {
    return (
      <KeyForm
        isReading={entry !== null && usage.isFetching}
        error={usage.error}
        onEnter={setKey}
      />
    );
  }
  return <KeyCalls entry={entry} usage={usage.data} onOther={() => setKey(null)} />;
}

function KeyCalls(props: {
  entry: EnteredKey;
  usage: NonNullable<ReturnType<typeof useKeyUsage>["data"]>;
  onOther: () => void;
}) {
  const { entry, usage, onOther } = props;
  const t = useT();
  const [search, setSearch] = useListSearch(listSearch);
  const { page, size } = search;
  const list = useKeyLogs(entry, { page, size });
  const columns = useMemo(() => keyLogColumns(t), [t]);
  const other = (
    <Button icon={<KeyRound size={16} aria-hidden />} onClick={onOther}>
      {t("keyQuery.other")}
    </Button>
  );
  return (
    <ListScreen<OwnLog, typeof search>
      id="key-query"
      title={t("keyQuery.title")}
      description={t("keyQuery.description")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readKeyLogs(entry, window, signal)}
      columns={columns}
      rowId={(row) => String(row.id)}
      rowName={(row) => row.model_name}
      actions={other}
      summary={<KeyUsage usage={usage} />}
      empty={{
        title: t("keyQuery.emptyTitle"),
        description: t("keyQuery.emptyText"),
        action: other,
      }}
    />
  );
}
