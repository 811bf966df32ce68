import type { Kysely } from "kysely";
import type { AffiliateTable } from "./tables/affiliates.ts";
import type {
  AgentInviteeTable,
  AgentTable,
  DividendDayTable,
  DividendTable,
  WithdrawalTable,
} from "./tables/agents.ts";
import type { AuditTable } from "./tables/audit.ts";
import type { ChannelDayTable, ChannelHourTable } from "./tables/channel-hours.ts";
import type { ChannelKeyTable, ChannelTable, RoundTimeTable } from "./tables/channels.ts";
import type { ChecklistMarkTable } from "./tables/console/checklist.ts";
import type {
  ConfigChangeTable,
  ConfigClockTable,
  MetaTable,
  NodeHintTable,
  NodeTable,
  SetupLinkTable,
} from "./tables/config.ts";
import type { ConfiguredThingTable } from "./tables/console/configuration.ts";
import type { ConversationLinkTable } from "./tables/console/conversations.ts";
import type {
  MembershipTable,
  OrganisationInvitationTable,
  OrganisationKeyTable,
  OrganisationTable,
  ProjectTable,
} from "./tables/console/organisations.ts";
import type {
  BalanceTable,
  CallerTotalTable,
  CounterTable,
  EarningEntryTable,
  EarningTable,
  EntryTable,
  InterruptedCallTable,
  JournalHeadTable,
  JournalRefusedTable,
  JournalTable,
  ModelTotalTable,
  OpeningCounterTable,
  PromptCacheHourTable,
  ReservationTable,
  StaleHourTable,
  TokenBalanceTable,
  TokenBudgetTable,
  UsageHourTable,
  UsageTotalTable,
} from "./tables/ledger.ts";
import type { IssuedTable } from "./tables/issued.ts";
import type { CleanedHourTable } from "./tables/cleaned-hours.ts";
import type { EndingHourTable } from "./tables/ending-hours.ts";
import type { ImportedRowTable, ImportTable } from "./tables/imports.ts";
import type { LiveNodeTable, LiveStopAnswerTable, LiveStopTable } from "./tables/live.ts";
import type { LogTable, LogTagTable, TagDayTable } from "./tables/logs.ts";
import type {
  BroadcastReceiverTable,
  BroadcastTable,
  BudgetWarningTable,
  MoneyNoticeTable,
  NoticeTimeTable,
  NotificationSettingTable,
  QuotaWarningTable,
} from "./tables/notifications.ts";
import type {
  OrderEventTable,
  OrderPollTable,
  OrderRefundTable,
  OrderTable,
} from "./tables/orders.ts";
import type { CostVersionTable, OptionTable, PriceVersionTable } from "./tables/options.ts";
import type {
  BillPartTable,
  BillTable,
  PriceDraftTable,
  PriceSourceTable,
} from "./tables/price-sources.ts";
import type {
  AttemptTable,
  BotPassTable,
  IdentityTable,
  MailCodeTable,
  PasswordFailureTable,
  SignInPlaceTable,
  SignInStateTable,
  SpentProofTable,
} from "./tables/sign-in.ts";
import type { RedemptionTable } from "./tables/redemptions.ts";
import type { PricePreviewTable, RerateTable, RerateUserTable } from "./tables/rerates.ts";
import type { TaskTable } from "./tables/tasks.ts";
import type { TokenNameTable, TokenTable } from "./tables/tokens.ts";
import type {
  FactorTicketTable,
  PasskeyTable,
  RecoveryCodeTable,
  TotpTable,
} from "./tables/second-factor.ts";
import type { SessionTable, UserTable } from "./tables/users.ts";
import type { SavedViewTable } from "./tables/views.ts";

/** Every table, one line each, sorted. */
export type Database = {
  affiliates: AffiliateTable;
  agent_invitees: AgentInviteeTable;
  agents: AgentTable;
  attempts: AttemptTable;
  audit_log: AuditTable;
  balances: BalanceTable;
  bill_parts: BillPartTable;
  bills: BillTable;
  bot_passes: BotPassTable;
  broadcast_receivers: BroadcastReceiverTable;
  broadcasts: BroadcastTable;
  budget_warnings: BudgetWarningTable;
  caller_totals: CallerTotalTable;
  channel_days: ChannelDayTable;
  channel_hours: ChannelHourTable;
  channel_keys: ChannelKeyTable;
  channels: ChannelTable;
  checklist_marks: ChecklistMarkTable;
  cleaned_hours: CleanedHourTable;
  config_changes: ConfigChangeTable;
  config_clock: ConfigClockTable;
  configured_things: ConfiguredThingTable;
  conversation_links: ConversationLinkTable;
  cost_versions: CostVersionTable;
  counters: CounterTable;
  dividend_days: DividendDayTable;
  dividends: DividendTable;
  earning_entries: EarningEntryTable;
  earnings: EarningTable;
  ending_hours: EndingHourTable;
  entries: EntryTable;
  factor_tickets: FactorTicketTable;
  identities: IdentityTable;
  imported_rows: ImportedRowTable;
  imports: ImportTable;
  interrupted_calls: InterruptedCallTable;
  issued: IssuedTable;
  journal: JournalTable;
  journal_heads: JournalHeadTable;
  journal_refused: JournalRefusedTable;
  live_nodes: LiveNodeTable;
  live_stop_answers: LiveStopAnswerTable;
  live_stops: LiveStopTable;
  log_tags: LogTagTable;
  logs: LogTable;
  mail_codes: MailCodeTable;
  memberships: MembershipTable;
  meta: MetaTable;
  model_totals: ModelTotalTable;
  money_notices: MoneyNoticeTable;
  node_hints: NodeHintTable;
  nodes: NodeTable;
  notice_times: NoticeTimeTable;
  notification_settings: NotificationSettingTable;
  opening_counters: OpeningCounterTable;
  options: OptionTable;
  order_events: OrderEventTable;
  order_polls: OrderPollTable;
  order_refunds: OrderRefundTable;
  orders: OrderTable;
  organisation_invitations: OrganisationInvitationTable;
  organisation_keys: OrganisationKeyTable;
  organisations: OrganisationTable;
  passkeys: PasskeyTable;
  password_failures: PasswordFailureTable;
  price_drafts: PriceDraftTable;
  price_previews: PricePreviewTable;
  price_sources: PriceSourceTable;
  price_versions: PriceVersionTable;
  projects: ProjectTable;
  prompt_cache_hours: PromptCacheHourTable;
  quota_warnings: QuotaWarningTable;
  recovery_codes: RecoveryCodeTable;
  redemptions: RedemptionTable;
  rerate_users: RerateUserTable;
  rerates: RerateTable;
  reservations: ReservationTable;
  round_times: RoundTimeTable;
  saved_views: SavedViewTable;
  sessions: SessionTable;
  setup_links: SetupLinkTable;
  sign_in_places: SignInPlaceTable;
  sign_in_states: SignInStateTable;
  spent_proofs: SpentProofTable;
  stale_hours: StaleHourTable;
  tag_days: TagDayTable;
  tasks: TaskTable;
  token_balances: TokenBalanceTable;
  token_budgets: TokenBudgetTable;
  token_names: TokenNameTable;
  tokens: TokenTable;
  totp_secrets: TotpTable;
  usage_hours: UsageHourTable;
  usage_totals: UsageTotalTable;
  users: UserTable;
  withdrawals: WithdrawalTable;
};

/** A connection or an open transaction. Functions of a `*.repo.ts` file work with both. */
export type Db = Kysely<Database>;
