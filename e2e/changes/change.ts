/** A change of the console that users notice, and what shows it. */

import type { Role } from "#e2e/products.ts";
import type { Scene, Step } from "./scene.ts";
import type { Side } from "./sides.ts";

type Look = {
  /** The role as which the page is signed in, root by default; null: not signed in. */
  readonly as?: Role | null;
  readonly isPhone?: boolean;
  /** `demo`: an installation that nobody has used yet. */
  readonly stage?: "lively" | "demo";
};

type Picture = Look & Readonly<Record<Side, Step>>;

/** What can be measured of a side: texts by what they say, the same on both sides. */
type Figures = Look & {
  readonly measure: (scene: Scene) => Promise<Readonly<Record<string, string>>>;
};

export type Change = {
  readonly number: number;
  /** The middle of the names of its pictures. */
  readonly name: string;
  readonly title: string;
  /** One sentence: what was wrong for the user. */
  readonly was: string;
  /** One sentence: what is now. */
  readonly now: string;
  readonly picture?: Picture;
  readonly figures?: Figures;
  /** Why there is no picture, and which command shows more. */
  readonly noPicture?: string;
};

/** The same steps on both sides. */
export const onBoth = (step: Step) => ({ before: step, after: step });
