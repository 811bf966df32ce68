import { robotKey } from "@tollgate/contract/robot-key.ts";

/** The robot of a group chat in WeCom. */
export const wecom = { id: "wecom", fields: { key: robotKey } } as const;
