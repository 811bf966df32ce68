import { robotKey } from "@tollgate/contract/robot-key.ts";

/** The robot of a DingTalk group chat. */
export const dingtalk = { id: "dingtalk", fields: { key: robotKey } } as const;
