import { robotKey } from "@tollgate/contract/robot-key.ts";

/** The robot of a WeCom group chat. */
export const wecom = { id: "wecom", fields: { key: robotKey } } as const;
