/** How turns of conversations were placed, in words. */

import type { T, TextKey } from "#i18n/t.ts";
import { showTimeExactly } from "#display/time.ts";

const placements: Readonly<Record<string, TextKey>> = {
  first: "logs.placementFirst",
  stayed: "logs.placementStayed",
  back: "logs.placementBack",
  away: "logs.placementAway",
  issuer: "logs.placementIssuer",
  overflow: "logs.placementOverflow",
  moved: "logs.placementMoved",
  "moved failed": "logs.placementFailed",
  "moved probing": "logs.placementProbing",
};

/** Says how a turn of a conversation was placed, by the word that its log row has. */
export function sayPlacement(placement: string, t: T): string {
  const known = placements[placement];
  if (known !== undefined) return t(known);
  const [, why = "", until = ""] = placement.split(" ");
  const time = /^\d{1,12}$/.test(until) ? showTimeExactly(Number(until)) : "";
  if (time !== "" && why === "cooldown") return t("logs.placementCooldown", { time });
  if (time !== "" && why === "ejected") return t("logs.placementEjected", { time });
  return placement;
}
