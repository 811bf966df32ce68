import type { Kysely } from "kysely";
import type { Dialect } from "#db/dialect.ts";
import * as foundation from "./20261121-1500-foundation.ts";
import * as ledger from "./20261121-1510-ledger.ts";
import * as signIn from "./20261121-1933-sign-in.ts";
import * as affiliates from "./20261121-1935-affiliates.ts";
import * as notifications from "./20261121-1945-notifications.ts";
import * as secondFactor from "./20261121-2000-second-factor.ts";
import * as passwords from "./20261121-2135-passwords.ts";
import * as broadcasts from "./20261122-1220-broadcasts.ts";
import * as noticeSettings from "./20261122-2245-notice-settings.ts";
import * as nodes from "./20261122-2300-nodes.ts";
import * as usernameKeys from "./20261123-0150-username-keys.ts";
import * as userLanguage from "./20261123-0200-user-language.ts";
import * as reversals from "./20261123-0210-reversals.ts";
import * as givenPasswords from "./20261123-0235-given-passwords.ts";
import * as checklist from "./20261123-0500-checklist.ts";
import * as channelTests from "./20261123-0830-channel-tests.ts";
import * as channelHours from "./20261123-0845-channel-hours.ts";
import * as usageTotals from "./20261123-0902-usage-totals.ts";
import * as unsentNotices from "./20261123-0925-unsent-notices.ts";
import * as tokenExtras from "./20261123-0935-token-extras.ts";
import * as budgets from "./20261123-0936-budgets.ts";
import * as redemptions from "./20261123-1105-redemptions.ts";
import * as tokenRotation from "./20261123-1110-token-rotation.ts";
import * as moreNotices from "./20261123-1215-more-notices.ts";
import * as orders from "./20261123-1241-orders.ts";
import * as orderRefunds from "./20261123-1242-order-refunds.ts";
import * as channelDays from "./20261123-1245-channel-days.ts";
import * as tasks from "./20261123-1258-tasks.ts";
import * as agents from "./20261123-1425-agents.ts";
import * as debts from "./20261123-1501-debts.ts";
import * as disputes from "./20261123-1510-disputes.ts";
import * as callerTotals from "./20261123-1610-caller-totals.ts";
import * as unsentBudgetNotices from "./20261123-1740-unsent-budget-notices.ts";
import * as rowHashes from "./20261123-1745-row-hashes.ts";
import * as issued from "./20261123-1810-issued.ts";
import * as notedRows from "./20261129-0413-noted-rows.ts";
import * as cleanedHours from "./20261129-0423-cleaned-hours.ts";
import * as seenOutput from "./20261129-1953-seen-output.ts";
import * as changeMarks from "./20261129-2013-change-marks.ts";
import * as sharedIds from "./20261129-2017-shared-ids.ts";
import * as earlierLogs from "./20261129-2151-earlier-logs.ts";
import * as priceReasons from "./20261129-2317-price-reasons.ts";
import * as costs from "./20261129-2337-costs.ts";
import * as errorLanguage from "./20261130-0219-error-language.ts";
import * as configuredThings from "./20261130-0237-configured-things.ts";
import * as upstreamRequestId from "./20261130-0257-upstream-request-id.ts";
import * as journal from "./20261130-0331-journal.ts";
import * as imports from "./20261130-0443-imports.ts";
import * as conversations from "./20261201-0307-conversations.ts";
import * as live from "./20261201-0347-live.ts";
import * as moving from "./20261201-0347-moving.ts";
import * as priceSources from "./20261201-0347-price-sources.ts";
import * as rerates from "./20261201-0417-rerates.ts";
import * as sharedLimits from "./20261201-0417-shared-limits.ts";
import * as candidates from "./20261201-0419-candidates.ts";
import * as cachedInput from "./20261202-0353-cached-input.ts";
import * as nodeHints from "./20261202-0453-node-hints.ts";
import * as endings from "./20261202-0913-endings.ts";
import * as savedViews from "./20261202-0927-saved-views.ts";
import * as tags from "./20261203-1137-tags.ts";
import * as interruptedTags from "./20261204-0110-interrupted-tags.ts";
import * as organisations from "./20261204-1005-organisations.ts";

/**
 * A migration must emit the same SQL each time. For its checksum it also runs without a database,
 * where queries find no rows.
 */
export type Migration = (db: Kysely<unknown>, dialect: Dialect) => Promise<void>;

/**
 * Every migration, one line each, oldest first. Names start with the UTC minute they were
 * written, so that two people never claim the same number. A migration that has been released
 * is never edited: `checksums.ts` has the checksum of its SQL, and a database that was made with
 * other SQL is not opened.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "20261121-1500-foundation": foundation.up,
  "20261121-1510-ledger": ledger.up,
  "20261121-1933-sign-in": signIn.up,
  "20261121-1935-affiliates": affiliates.up,
  "20261121-1945-notifications": notifications.up,
  "20261121-2000-second-factor": secondFactor.up,
  "20261121-2135-passwords": passwords.up,
  "20261122-1220-broadcasts": broadcasts.up,
  "20261122-2245-notice-settings": noticeSettings.up,
  "20261122-2300-nodes": nodes.up,
  "20261123-0150-username-keys": usernameKeys.up,
  "20261123-0200-user-language": userLanguage.up,
  "20261123-0210-reversals": reversals.up,
  "20261123-0235-given-passwords": givenPasswords.up,
  "20261123-0500-checklist": checklist.up,
  "20261123-0830-channel-tests": channelTests.up,
  "20261123-0845-channel-hours": channelHours.up,
  "20261123-0902-usage-totals": usageTotals.up,
  "20261123-0925-unsent-notices": unsentNotices.up,
  "20261123-0935-token-extras": tokenExtras.up,
  "20261123-0936-budgets": budgets.up,
  "20261123-1105-redemptions": redemptions.up,
  "20261123-1110-token-rotation": tokenRotation.up,
  "20261123-1215-more-notices": moreNotices.up,
  "20261123-1241-orders": orders.up,
  "20261123-1242-order-refunds": orderRefunds.up,
  "20261123-1245-channel-days": channelDays.up,
  "20261123-1258-tasks": tasks.up,
  "20261123-1425-agents": agents.up,
  "20261123-1501-debts": debts.up,
  "20261123-1510-disputes": disputes.up,
  "20261123-1610-caller-totals": callerTotals.up,
  "20261123-1740-unsent-budget-notices": unsentBudgetNotices.up,
  "20261123-1745-row-hashes": rowHashes.up,
  "20261123-1810-issued": issued.up,
  "20261129-0413-noted-rows": notedRows.up,
  "20261129-0423-cleaned-hours": cleanedHours.up,
  "20261129-1953-seen-output": seenOutput.up,
  "20261129-2013-change-marks": changeMarks.up,
  "20261129-2017-shared-ids": sharedIds.up,
  "20261129-2151-earlier-logs": earlierLogs.up,
  "20261129-2317-price-reasons": priceReasons.up,
  "20261129-2337-costs": costs.up,
  "20261130-0219-error-language": errorLanguage.up,
  "20261130-0237-configured-things": configuredThings.up,
  "20261130-0257-upstream-request-id": upstreamRequestId.up,
  "20261130-0331-journal": journal.up,
  "20261130-0443-imports": imports.up,
  "20261201-0307-conversations": conversations.up,
  "20261201-0347-live": live.up,
  "20261201-0347-moving": moving.up,
  "20261201-0347-price-sources": priceSources.up,
  "20261201-0417-rerates": rerates.up,
  "20261201-0417-shared-limits": sharedLimits.up,
  "20261201-0419-candidates": candidates.up,
  "20261202-0353-cached-input": cachedInput.up,
  "20261202-0453-node-hints": nodeHints.up,
  "20261202-0913-endings": endings.up,
  "20261202-0927-saved-views": savedViews.up,
  "20261203-1137-tags": tags.up,
  "20261204-0110-interrupted-tags": interruptedTags.up,
  "20261204-1005-organisations": organisations.up,
};
