/**
 * The channels that a call could have gone to, as its row has them: by priority, `3,5:cooldown;7`. A
 * word stands behind those that something besides priority, weight and place kept from it.
 */

/** How many channels a row names. */
export const candidatesMax = 30;

type SaidWhy = (typeof saidWhys)[number];
const saidWhys = [
  "cannot-carry",
  "cooldown",
  "ejected",
  "issuer-elsewhere",
  "limit",
  "probing",
] as const;

/** Why a channel was not taken, or that it was. */
type CandidateWhy =
  | SaidWhy
  /** The conversation has its place at another of its priority. */
  | "place"
  | "taken"
  /** Its priority is lower than that of the one that was taken. */
  | "tier"
  /** It was tried before, and failed. */
  | "tried"
  /** Another of its priority was drawn, by weight. */
  | "weight";

type Candidate = { readonly id: number; readonly why: CandidateWhy };

type Entry = { readonly id: number; readonly why: string };

/** Writes candidates, those of one priority together; an empty word says nothing. */
export function writeCandidates(tiers: readonly (readonly Entry[])[]): string {
  let left = candidatesMax;
  const texts: string[] = [];
  for (const tier of tiers) {
    const entries = tier.slice(0, left);
    left -= entries.length;
    if (entries.length === 0) continue;
    texts.push(entries.map(({ id, why }) => (why === "" ? String(id) : `${id}:${why}`)).join(","));
  }
  return texts.join(";");
}

/** Reads them, with the reason of each. */
export function readCandidates(
  text: string,
  { tried, placement }: { readonly tried: readonly number[]; readonly placement: string },
): Candidate[] {
  const tiers = text === "" ? [] : text.split(";").map((tier) => tier.split(",").map(readEntry));
  const taken = tried.at(-1);
  const takenTier = tiers.findIndex((tier) => tier.some(({ id }) => id === taken));
  const isPlaced = placement !== "" && placement !== "first";
  return tiers.flatMap((tier, at) =>
    tier.map(({ id, why }): Candidate => {
      if (id === taken) return { id, why: "taken" };
      if (tried.includes(id)) return { id, why: "tried" };
      const said = saidWhys.find((word) => word === why);
      if (said !== undefined) return { id, why: said };
      if (at !== takenTier) return { id, why: "tier" };
      return { id, why: isPlaced ? "place" : "weight" };
    }),
  );
}

function readEntry(entry: string): Entry {
  const [id = "", why = ""] = entry.split(":");
  return { id: Number(id), why };
}
