import { robotKey } from "@tollgate/contract/robot-key.ts";

/** The robot of a group chat in DingTalk. */
export const dingtalk = { id: "dingtalk", fields: { key: robotKey } } as const;
