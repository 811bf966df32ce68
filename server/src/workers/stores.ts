import { changeStore } from "#db/changes.ts";
import { hintStore } from "#db/hints.ts";
import type { Store } from "#db/store.ts";
import { affiliateStore } from "#modules/affiliates/affiliates.store.ts";
import { agentStore } from "#modules/agents/agents.store.ts";
import { attemptStore } from "#modules/attempts/attempts.store.ts";
import { auditStore } from "#modules/audit/audit.store.ts";
import { billStore } from "#modules/bills/bills.store.ts";
import { channelStatisticsStore } from "#modules/channel-statistics/channel-statistics.store.ts";
import { channelStore } from "#modules/channels/channels.store.ts";
import { checklistStore } from "#modules/checklist/checklist.store.ts";
import { configurationStore } from "#modules/configuration/configuration.store.ts";
import { conversationStore } from "#modules/conversations/conversations.store.ts";
import { costStore } from "#modules/costs/costs.store.ts";
import { dashboardStore } from "#modules/dashboard/dashboard.store.ts";
import { identityStore } from "#modules/identities/identities.store.ts";
import { importStore } from "#modules/import/imports.store.ts";
import { installationStore } from "#modules/installation/installation.store.ts";
import { issuerStore } from "#modules/issuers/issuers.store.ts";
import { keptAnswerStore } from "#modules/kept-answers/kept-answers.store.ts";
import { ledgerStore } from "#modules/ledger/ledger.store.ts";
import { liveStore } from "#modules/live/live.store.ts";
import { logStore } from "#modules/logs/logs.store.ts";
import { modelStore } from "#modules/models/models.store.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import { optionStore } from "#modules/options/options.store.ts";
import { organisationStore } from "#modules/organisations/organisations.store.ts";
import { paymentStore } from "#modules/payments/payments.store.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";
import { redemptionStore } from "#modules/redemptions/redemptions.store.ts";
import { registrationStore } from "#modules/registration/registration.store.ts";
import { rerateStore } from "#modules/rerates/rerates.store.ts";
import { secondFactorStore } from "#modules/second-factor/second-factor.store.ts";
import { sessionStore } from "#modules/sessions/sessions.store.ts";
import { signInStore } from "#modules/sign-in/sign-in.store.ts";
import { taskStore } from "#modules/tasks/tasks.store.ts";
import { transcriptStore } from "#modules/transcripts/transcripts.store.ts";
import { tokenStore } from "#modules/tokens/tokens.store.ts";
import { userStore } from "#modules/users/users.store.ts";
import { viewStore } from "#modules/views/views.store.ts";

/** Every store that other threads can call, one line each, sorted. */
export const stores = {
  affiliates: affiliateStore,
  agents: agentStore,
  attempts: attemptStore,
  audit: auditStore,
  bills: billStore,
  changes: changeStore,
  channelStatistics: channelStatisticsStore,
  channels: channelStore,
  checklist: checklistStore,
  configuration: configurationStore,
  conversations: conversationStore,
  costs: costStore,
  dashboard: dashboardStore,
  hints: hintStore,
  identities: identityStore,
  imports: importStore,
  installation: installationStore,
  issuers: issuerStore,
  keptAnswers: keptAnswerStore,
  ledger: ledgerStore,
  live: liveStore,
  logs: logStore,
  models: modelStore,
  notifications: notificationStore,
  options: optionStore,
  organisations: organisationStore,
  payments: paymentStore,
  pricing: pricingStore,
  redemptions: redemptionStore,
  registration: registrationStore,
  rerates: rerateStore,
  secondFactor: secondFactorStore,
  sessions: sessionStore,
  signIn: signInStore,
  tasks: taskStore,
  tokens: tokenStore,
  transcripts: transcriptStore,
  users: userStore,
  views: viewStore,
} as const satisfies Record<string, Store>;

export type Stores = typeof stores;
