/** Sign-in with GitHub: its options. */

import { flag, line, secret } from "./kinds.ts";
import { clientIdMax } from "@tollgate/contract/fields/field-schemas.ts";

export const github = {
  id: "github",
  fields: {
    GitHubOAuthEnabled: flag(false, {
      needs: {
        fields: ["GitHubClientId", "GitHubClientSecret"],
        message: "无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！",
      },
    }),
    GitHubClientId: line(clientIdMax),
    GitHubClientSecret: secret,
  },
} as const;
