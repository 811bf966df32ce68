/**
 * The robot of a WeCom group. Source: https://developer.work.weixin.qq.com/document/path/91770, as
 * quoted by others, 2026-11-22.
 */

import type { wecom } from "@tollgate/contract/kinds/wecom.ts";
import { openRobot } from "./robot.ts";
import type { Sender } from "./sender.ts";

export const sendByWeCom: Sender<typeof wecom> = openRobot({
  id: "wecom",
  addressOf: (key) => `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${key}`,
  refusedMessage: (code) => `企业微信机器人没有接受通知（${code}），请检查密钥`,
});
