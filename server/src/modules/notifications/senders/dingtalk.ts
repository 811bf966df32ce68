/**
 * The robot of a DingTalk group. Source: https://open.dingtalk.com/document/robots/custom-robot-access,
 * as quoted by others, 2026-11-22.
 */

import type { dingtalk } from "@tollgate/contract/kinds/dingtalk.ts";
import { openRobot } from "./robot.ts";
import type { Sender } from "./sender.ts";

export const sendByDingTalk: Sender<typeof dingtalk> = openRobot({
  id: "dingtalk",
  addressOf: (key) => `https://oapi.dingtalk.com/robot/send?access_token=${key}`,
  refusedMessage: (code) => `钉钉机器人没有接受通知（${code}），请检查密钥和安全设置`,
});
