import { robotKey } from "@tollgate/contract/fields/robot-key.ts";

/** What a user sets to be notified through the robot of a group chat in DingTalk. */
export const dingtalk = { id: "dingtalk", fields: { key: robotKey } } as const;
