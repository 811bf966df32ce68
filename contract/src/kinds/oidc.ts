/** Sign-in with an OpenID Connect provider of root's choice: its options. */

import { clientIdMax, linkOption } from "@tollgate/contract/fields/field-schemas.ts";
import { define, flag, line, secret } from "./kinds.ts";

const link = define({ type: "text", schema: linkOption, defaultValue: "" });

export const oidc = {
  id: "oidc",
  fields: {
    "oidc.enabled": flag(false, {
      needs: {
        fields: ["oidc.client_id", "oidc.client_secret"],
        message: "无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！",
      },
    }),
    "oidc.client_id": line(clientIdMax),
    "oidc.client_secret": secret,
    /** Address of the provider's configuration document. */
    "oidc.well_known": link,
    "oidc.authorization_endpoint": link,
    "oidc.token_endpoint": link,
    "oidc.user_info_endpoint": link,
  },
} as const;
