import type { Generated } from "kysely";

/** Saved views of lists. Written by `modules/views` only. */
export type SavedViewTable = {
  id: Generated<number>;
  /** Whose view it is; 0: everybody's. */
  user_id: number;
  list: string;
  name: string;
  /** JSON of `SavedViewBody`. */
  body: string;
};
