/** Makes channels for tests, as the API answers them. */

import type { Channel } from "@tollgate/contract/endpoints/channels.ts";

const base: Channel = {
  id: 1,
  type: 1,
  key: "",
  key_count: 1,
  key_hints: [],
  openai_organization: "",
  test_model: "",
  status: 1,
  name: "main",
  weight: 1,
  priority: 1,
  created_time: 0,
  test_time: 0,
  response_time: 0,
  test_error: "",
  base_url: "",
  other: "",
  balance: 0,
  balance_updated_time: 0,
  models: "a",
  group: "a",
  used_quota: 0,
  model_mapping: "",
  status_code_mapping: "",
  auto_ban: 1,
  other_info: "",
  tag: "t",
  setting: "",
  param_override: "",
};

export function channelWith(fields: Partial<Channel>): Channel {
  return { ...base, ...fields };
}
