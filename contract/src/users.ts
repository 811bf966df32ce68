/** Users. */

import { z } from "zod";

/** The numbers of the specification. A role may do whatever a lower one may. */
export const role = z.enum({ user: 1, admin: 10, root: 100 });
export type Role = z.infer<typeof role>;
