import { define, line, secret } from "./kinds.ts";
import { linkOption } from "@tollgate/contract/fields/field-schemas.ts";

/**
 * An epay gateway (易支付): the browser posts a signed form to it, and the gateway calls back. Its
 * prices are in yuan, by option `Price`.
 */
export const epay = {
  id: "epay",
  fields: {
    PayAddress: define({ type: "text", schema: linkOption, defaultValue: "" }),
    EpayId: line(100),
    EpayKey: secret,
  },
} as const;
