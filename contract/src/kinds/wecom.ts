import { robotKey } from "@tollgate/contract/fields/robot-key.ts";

/** What a user sets to be notified through the robot of a group chat in WeCom. */
export const wecom = { id: "wecom", fields: { key: robotKey } } as const;
