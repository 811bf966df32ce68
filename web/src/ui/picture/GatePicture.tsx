/**
 * The large picture of the sign-in screens: calls come along their lanes, pass the gate, and leave
 * with what they cost. Decoration only. It fills its box and is cut at the edges;
 * `cut` shows only the gate, for a low box.
 */

const left = 108;
const right = 592;
const gateX = 350;
const laneGap = 72;
const firstLane = 282;

/** The width of a character of the fixed-width font, generously. */
const charWidth = 7.3;

type Lane = {
  /** The path of the call, as clients write it. */
  readonly path: string;
  /** Where the waiting call is; its box ends before the gate. */
  readonly at: number;
  /** Tokens and price of the call that has passed; null: the lane is closed. */
  readonly paid: { readonly tokens: string; readonly cost: string } | null;
};

// The sum at the end of the lanes is exact.
const lanes: readonly Lane[] = [
  {
    path: "/v1/chat/completions",
    at: left + 30,
    paid: { tokens: "640 → 96", cost: "$0.000418" },
  },
  { path: "/v1/embeddings", at: left, paid: { tokens: "8,210", cost: "$0.000164" } },
  {
    path: "/v1/chat/completions",
    at: left + 56,
    paid: { tokens: "1,840 → 220", cost: "$0.002310" },
  },
  { path: "/v1/completions", at: left + 92, paid: null },
  {
    path: "/v1/chat/completions",
    at: left + 8,
    paid: { tokens: "900 → 1,204", cost: "$0.006288" },
  },
];
const sum = "$0.009180";

export function GatePicture({ cut = false }: { readonly cut?: boolean }) {
  const end = firstLane + (lanes.length - 1) * laneGap;
  return (
    <svg
      aria-hidden
      viewBox={cut ? "200 312 330 156" : "0 0 640 860"}
      preserveAspectRatio={cut ? "xMidYMid slice" : "xMaxYMid slice"}
      fill="none"
      strokeWidth={1.5}
      strokeLinecap="round"
      className="size-full font-mono text-xs tabular-nums"
    >
      {lanes.map((lane, index) => (
        // Two lanes may be alike, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <LaneView key={index} lane={lane} y={firstLane + index * laneGap} />
      ))}
      {[...lanes, null].map((lane, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Booth key={index} y={firstLane + (index - 0.5) * laneGap} lane={lane} />
      ))}
      <path d={`M${right - 140} ${end + 60}H${right}`} className="stroke-control" />
      <text x={right} y={end + 86} textAnchor="end" className="fill-ink text-base font-semibold">
        {sum}
      </text>
    </svg>
  );
}

function LaneView({ lane: { path, at, paid }, y }: { readonly lane: Lane; readonly y: number }) {
  return (
    <>
      <path
        d={`M-400 ${y}H${paid === null ? gateX : 1_040}`}
        strokeDasharray="2 7"
        className="stroke-control"
      />
      <rect
        x={at}
        y={y - 15}
        width={path.length * charWidth + 22}
        height={30}
        rx={6}
        className="fill-panel stroke-control"
      />
      <text x={at + 11} y={y + 4} className="fill-muted">
        {path}
      </text>
      {paid !== null && (
        <>
          <rect
            x={right - widthOf(paid)}
            y={y - 15}
            width={widthOf(paid)}
            height={30}
            rx={6}
            className="fill-accent-soft stroke-accent-line"
          />
          <text x={right - widthOf(paid) + 11} y={y + 4} className="fill-muted">
            {paid.tokens}
          </text>
          <text x={right - 11} y={y + 4} textAnchor="end" className="fill-accent-ink font-medium">
            {paid.cost}
          </text>
        </>
      )}
    </>
  );
}

function widthOf({ tokens, cost }: NonNullable<Lane["paid"]>): number {
  return (tokens.length + cost.length) * charWidth + 36;
}

/** A booth between two lanes; its arm belongs to the lane below. Null: there is no further lane. */
function Booth({ y, lane }: { readonly y: number; readonly lane: Lane | null }) {
  return (
    <>
      <rect
        x={gateX - 11}
        y={y - 15}
        width={22}
        height={30}
        rx={5}
        className="fill-panel stroke-mark"
      />
      {lane !== null && (
        <>
          <path
            d={lane.paid === null ? `M${gateX} ${y + 15}v42` : `m${gateX} ${y + 15}l44 11`}
            strokeWidth={4}
            className={lane.paid === null ? "stroke-mark" : "stroke-accent-solid"}
          />
          <circle cx={gateX} cy={y + 15} r={3.5} className="fill-panel stroke-mark" />
        </>
      )}
    </>
  );
}
