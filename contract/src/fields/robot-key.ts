/**
 * The key of a group chat's robot. The robots of all services share one field of the API, so a user
 * has one saved key.
 */

import { hiddenText } from "@tollgate/contract/kinds/kinds.ts";

const robotKeyMax = 128;

const plain = hiddenText(robotKeyMax, `机器人密钥最多 ${robotKeyMax} 个字符`);

export const robotKey = {
  ...plain,
  // The key becomes part of an address, so characters that could change the address are refused.
  schema: plain.schema.regex(/^[A-Za-z0-9_-]*$/, "机器人密钥只能包含字母、数字、- 和 _"),
  required: "请填写机器人密钥",
  sentAs: "robot_key",
  ownerSentAs: "robot_type",
} as const;
