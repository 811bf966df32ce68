/** Sign-in with LinuxDO: its options. */

import { clientIdMax } from "@tollgate/contract/fields/field-schemas.ts";
import { flag, line, secret, whole } from "./kinds.ts";

export const linuxdo = {
  id: "linuxdo",
  fields: {
    LinuxDOOAuthEnabled: flag(false, {
      needs: {
        fields: ["LinuxDOClientId", "LinuxDOClientSecret"],
        message: "无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！",
      },
    }),
    LinuxDOClientId: line(clientIdMax),
    LinuxDOClientSecret: secret,
    /** Users below this trust level of the LinuxDO forum cannot sign in; 0: everybody can. */
    LinuxDOMinimumTrustLevel: whole(0, 4, 0),
  },
} as const;
