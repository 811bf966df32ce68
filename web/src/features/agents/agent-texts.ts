/** How states are named and coloured. */

import type { AgentState, WithdrawalState } from "@tollgate/contract/endpoints/agents.ts";
import type { TextKey } from "#i18n/t.ts";
import type { Tone } from "#ui/tone.ts";

type Look = { readonly text: TextKey; readonly tone: Tone };

export const agentLooks = {
  requested: { text: "agents.stateRequested", tone: "info" },
  approved: { text: "agents.stateApproved", tone: "success" },
  rejected: { text: "agents.stateRejected", tone: "warning" },
  suspended: { text: "agents.stateSuspended", tone: "neutral" },
} as const satisfies Readonly<Record<AgentState, Look>>;

export const withdrawalLooks = {
  requested: { text: "agents.withdrawalRequested", tone: "info" },
  paid: { text: "agents.withdrawalPaid", tone: "success" },
  rejected: { text: "agents.withdrawalRejected", tone: "warning" },
} as const satisfies Readonly<Record<WithdrawalState, Look>>;
