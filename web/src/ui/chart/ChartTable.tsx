import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { type BarChartData, bucketSum, type LinkOfBar, sumOf } from "./chart-data.ts";

/**
 * The figures of a chart as a table: a row for each position on the time axis that has any, newest
 * first, and a column for each series.
 */
export function ChartTable(props: {
  readonly title: string;
  readonly data: BarChartData;
  readonly timeTitle: string;
  readonly show: (value: number) => string;
  readonly linkOf: LinkOfBar;
}) {
  const { title, data, timeTitle, show, linkOf } = props;
  const t = useT();
  const rows = data.buckets
    .map((bucket, place) => ({ ...bucket, place, sum: bucketSum(data, place) }))
    .filter(({ sum }) => sum > 0)
    .toReversed();
  return (
    <div
      role="region"
      aria-label={title}
      // Focusable, so that the keyboard can scroll it.
      tabIndex={0}
      className="max-h-96 overflow-auto overscroll-contain"
    >
      <table className="w-full border-collapse text-sm tabular-nums">
        <thead className="sticky top-0 bg-panel text-left text-muted">
          <tr>
            <th scope="col" className="py-1.5 pr-3 font-medium whitespace-nowrap">
              {timeTitle}
            </th>
            <th scope="col" className="py-1.5 pr-3 text-right font-medium">
              {t("dashboard.chartTotal")}
            </th>
            {data.series.map(({ name }) => (
              <th key={name} scope="col" className="py-1.5 pr-3 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ exact, place, sum }) => (
            <tr key={exact} className="border-t border-line">
              <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                {exact}
              </th>
              <Cell text={show(sum)} target={linkOf(place, null)} />
              {data.series.map(({ name, values }, series) => {
                const value = values[place] ?? 0;
                return value === 0 ? (
                  <Cell key={name} text="–" target={null} />
                ) : (
                  <Cell key={name} text={show(value)} target={linkOf(place, series)} />
                );
              })}
            </tr>
          ))}
        </tbody>
        <tfoot className="border-t border-line font-medium">
          <tr>
            <th scope="row" className="py-1.5 pr-3 text-left font-medium">
              {t("dashboard.chartTotal")}
            </th>
            <Cell
              text={show(data.series.reduce((sum, { values }) => sum + sumOf(values), 0))}
              target={null}
            />
            {data.series.map(({ name, values }) => (
              <Cell key={name} text={show(sumOf(values))} target={null} />
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function Cell(props: { readonly text: string; readonly target: ReturnType<LinkOfBar> }) {
  const { text, target } = props;
  return (
    <td className="py-1 pr-3 text-right whitespace-nowrap">
      {target === null ? text : <Link {...target}>{text}</Link>}
    </td>
  );
}
