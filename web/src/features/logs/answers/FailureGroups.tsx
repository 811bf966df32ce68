import type { FailureGroup } from "@tollgate/contract/endpoints/log-answers.ts";
import { useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { FilterValue } from "#features/logs/log-cells.tsx";
import { endingText, sayWhy } from "#features/logs/describe-log.ts";
import { shortTime } from "#display/short-time.ts";
import type { LogInput } from "#features/logs/logs.api.ts";
import type { LogSearch } from "#features/logs/logs.search.ts";
import { useLogFailures } from "./answers.api.ts";

const height = 192;

/** The calls that failed or broke off, by reason: how many, whose, since when, and one of them. */
export function FailureGroups(props: {
  readonly input: LogInput;
  readonly onSearch: SetListSearch<LogSearch>;
  readonly isAdmin: boolean;
  readonly live: boolean;
}) {
  const { input, onSearch, isAdmin, live } = props;
  const t = useT();
  const { data, error, refetch } = useLogFailures(input, live);
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
    return <Skeleton height={height} />;
  }
  if (data.length === 0) {
    return (
      <div className="flex items-center justify-center" style={{ height }}>
        <Muted>{t("logAnswers.noErrors")}</Muted>
      </div>
    );
  }
  return (
    <div className="max-h-80 overflow-y-auto">
      <PlainTable
        label={t("logAnswers.errorsTitle")}
        columns={[
          { key: "reason", title: t("logAnswers.reason") },
          { key: "calls", title: t("logAnswers.calls") },
          ...(isAdmin
            ? [
                { key: "users", title: t("logAnswers.users") },
                { key: "channels", title: t("logs.channel") },
              ]
            : []),
          { key: "first", title: t("logAnswers.first") },
          { key: "last", title: t("logAnswers.last") },
          { key: "example", title: t("logAnswers.example") },
        ]}
        rows={data.map((group) => ({
          name: group.ending,
          label: (
            <FilterValue
              value={group.ending}
              label={endingText(group.ending, t)}
              onSelect={() => onSearch({ ending: group.ending, type: "" })}
            />
          ),
          cells: [
            group.calls.toLocaleString("en-US"),
            ...(isAdmin
              ? [
                  group.users.toLocaleString("en-US"),
                  <Channels key="channels" group={group} onSearch={onSearch} />,
                ]
              : []),
            shortTime(group.first_at),
            shortTime(group.last_at),
            <Example key="example" group={group} />,
          ],
        }))}
      />
    </div>
  );
}

/** The channels at which most of the calls failed; each is a filter. */
function Channels(props: {
  readonly group: FailureGroup;
  readonly onSearch: SetListSearch<LogSearch>;
}) {
  const { group, onSearch } = props;
  if (group.channels.length === 0) return <Muted>–</Muted>;
  return (
    <span className="inline-flex max-w-60 flex-wrap justify-end gap-x-3">
      {group.channels.map(({ id, name, calls }) => (
        <span key={id} className="inline-flex min-w-0 items-center gap-1">
          <FilterValue
            value={String(id)}
            label={name === "" ? `#${id}` : name}
            onSelect={() => onSearch({ ending: group.ending, type: "", channel: String(id) })}
          />
          <Muted>{calls.toLocaleString("en-US")}</Muted>
        </span>
      ))}
    </span>
  );
}

/** The newest of the calls: its model and what its row says, which lead to the row. */
function Example({ group: { example, last_at } }: { readonly group: FailureGroup }) {
  const t = useT();
  if (example === null) return <Muted>–</Muted>;
  const { id, request_id, model_name, content } = example;
  const text = [model_name, sayWhy(content, t)].filter((part) => part !== "").join(" · ");
  return (
    <span dir="auto" className="inline-block max-w-100 truncate text-left align-bottom">
      <Link
        to="."
        search={{ start: last_at, end: last_at, request_id, expanded: String(id), answer: "none" }}
      >
        {text}
      </Link>
    </span>
  );
}
