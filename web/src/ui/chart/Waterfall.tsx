import { Link, type LinkTarget } from "#ui/controls/Link.tsx";

/** A step: an amount that is added to what stood before, or a total that stands there. */
export type WaterfallStep =
  | {
      readonly id: string;
      readonly name: string;
      readonly amount: number;
      readonly target: LinkTarget | null;
    }
  | { readonly id: string; readonly name: string; readonly total: number };

type Bar = { readonly from: number; readonly to: number; readonly isTotal: boolean };

/** How an amount became another, step by step, as a table in which each row has a bar. */
export function Waterfall(props: {
  readonly title: string;
  readonly steps: readonly WaterfallStep[];
  readonly show: (amount: number) => string;
}) {
  const { title, steps, show } = props;
  const bars = barsOf(steps);
  const least = Math.min(0, ...bars.flatMap(({ from, to }) => [from, to]));
  const most = Math.max(0, ...bars.flatMap(({ from, to }) => [from, to]));
  const share = (value: number): number => ((value - least) / (most - least || 1)) * 100;
  return (
    <table aria-label={title} className="w-full border-collapse text-sm tabular-nums">
      <tbody>
        {steps.map((step, index) => {
          const { from, to, isTotal } = bars[index] ?? { from: 0, to: 0, isTotal: true };
          const isMore = to >= from;
          const value = "total" in step ? step.total : step.amount;
          const colour = isTotal ? "bg-mark" : isMore ? "bg-success-solid" : "bg-danger-solid";
          return (
            <tr key={step.id} className="border-t border-line first:border-t-0">
              <th
                scope="row"
                className={`py-1.5 pr-3 text-left ${isTotal ? "font-medium" : "font-normal"}`}
              >
                {/* The width stands here, because a cell's own gives way to that of the bars. */}
                <span className="block wrap-anywhere sm:w-44" dir="auto">
                  {"total" in step || step.target === null ? (
                    step.name
                  ) : (
                    <Link {...step.target}>{step.name}</Link>
                  )}
                </span>
              </th>
              <td aria-hidden className="w-full max-sm:hidden">
                <span
                  className={`block h-4 min-w-0.5 rounded-inner ${colour}`}
                  style={{
                    marginInlineStart: `${share(Math.min(from, to))}%`,
                    width: `${Math.abs(share(to) - share(from))}%`,
                  }}
                />
              </td>
              <td
                className={`py-1.5 pl-3 text-right whitespace-nowrap ${isTotal ? "font-medium" : ""}`}
              >
                {!isTotal && value > 0 && "+"}
                {show(value)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function barsOf(steps: readonly WaterfallStep[]): Bar[] {
  let stand = 0;
  return steps.map((step) => {
    const from = "total" in step ? 0 : stand;
    stand = "total" in step ? step.total : stand + step.amount;
    return { from, to: stand, isTotal: "total" in step };
  });
}
