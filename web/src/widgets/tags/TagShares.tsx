/** What the calls of each tag cost in a time; nothing as long as no call of it has a tag. */

import type { LogFacetValues } from "@tollgate/contract/endpoints/log-answers.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import type { TagFilters } from "./tags-query.ts";

const charged = String(logType.enum.consumption);

export function TagShares(props: {
  readonly filters: TagFilters;
  /** What `tagsQuery` has read; undefined: it has not yet. */
  readonly data: LogFacetValues | undefined;
}) {
  const { data, filters } = props;
  const t = useT();
  if (data === undefined || data.values.length === 0) return null;
  const title = t("tags.title");
  return (
    <Card title={<h2>{title}</h2>}>
      <div className="flex flex-col gap-3">
        <PlainTable
          label={title}
          columns={[
            { key: "tag", title: t("tags.tag") },
            { key: "cost", title: t("tags.cost") },
            { key: "calls", title: t("tags.calls") },
          ]}
          rows={data.values.map(({ value, calls, quota }) => ({
            name: value,
            label: (
              <Link to="/log" search={{ ...filters, type: charged, tag: value }}>
                <bdi>{value}</bdi>
              </Link>
            ),
            cells: [<QuotaText key="cost" quota={quota} />, calls.toLocaleString("en-US")],
          }))}
        />
        <p className="text-xs">
          <Muted>
            {data.more > 0 && `${t("tags.more", { values: data.more })} · `}
            {t("tags.note")}
          </Muted>
        </p>
      </div>
    </Card>
  );
}
