/** The names of the actions that the audit log records, in the user's language. */

import type { T, TextKey } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";

const names: Readonly<Record<string, TextKey>> = {
  "agent.join": "audit.agentJoin",
  "agent.update": "audit.agentUpdate",
  "call.stop": "audit.callStop",
  "channel.costs": "audit.channelCosts",
  "channel.create": "audit.channelCreate",
  "channel.disable": "audit.channelDisable",
  "channel.enable": "audit.channelEnable",
  "channel.remove": "audit.channelRemove",
  "channel.switch": "audit.channelSwitch",
  "channel.tag": "audit.channelTag",
  "channel.update": "audit.channelUpdate",
  "configuration.apply": "audit.configurationApply",
  "channel.update-tag": "audit.channelUpdateTag",
  "charge.mend": "audit.chargeMend",
  "conversation.share": "audit.conversationShare",
  "conversation.unshare": "audit.conversationUnshare",
  "data.export": "audit.dataExport",
  "database.back": "audit.databaseBack",
  "dividend.close": "audit.dividendClose",
  "dividend.run": "audit.dividendRun",
  "log.clean": "audit.logClean",
  "log.read_text": "audit.logReadText",
  "log.remove_texts": "audit.logRemoveTexts",
  "log.top-up": "audit.logTopUp",
  "option.update": "audit.optionUpdate",
  "order.end-refund": "audit.orderEndRefund",
  "order.refund": "audit.orderRefund",
  "order.settle": "audit.orderSettle",
  "organisation.adjust": "audit.organisationAdjust",
  "organisation.close": "audit.organisationClose",
  "organisation.create": "audit.organisationCreate",
  "organisation.invite": "audit.organisationInvite",
  "organisation.join": "audit.organisationJoin",
  "organisation.leave": "audit.organisationLeave",
  "organisation.owner": "audit.organisationOwner",
  "organisation.project": "audit.organisationProject",
  "organisation.rename": "audit.organisationRename",
  "organisation.role": "audit.organisationRole",
  "organisation.transfer": "audit.organisationTransfer",
  "organisation.update": "audit.organisationUpdate",
  "organisation.withdraw": "audit.organisationWithdraw",
  "price-draft.decide": "audit.priceDraftDecide",
  "price-source.create": "audit.priceSourceCreate",
  "price-source.remove": "audit.priceSourceRemove",
  "price-source.sync": "audit.priceSourceSync",
  "price-source.update": "audit.priceSourceUpdate",
  "price.update": "audit.priceUpdate",
  "redemption.create": "audit.redemptionCreate",
  "redemption.delete": "audit.redemptionDelete",
  "redemption.status": "audit.redemptionStatus",
  "redemption.update": "audit.redemptionUpdate",
  "rerate.begin": "audit.rerateBegin",
  "rerate.end": "audit.rerateEnd",
  "rerate.stop": "audit.rerateStop",
  "second-factor.disable": "audit.factorDisable",
  "second-factor.enable": "audit.factorEnable",
  "second-factor.recovery-code": "audit.factorRecoveryCode",
  "second-factor.recovery-codes": "audit.factorRecoveryCodes",
  "second-factor.reset": "audit.factorReset",
  "second-factor.step-up": "audit.factorStepUp",
  "setup.root": "audit.setupRoot",
  "setup.step": "audit.setupStep",
  "token.create": "audit.tokenCreate",
  "token.delete": "audit.tokenDelete",
  "token.end-old-key": "audit.tokenEndOldKey",
  "token.freeze": "audit.tokenFreeze",
  "token.import": "audit.tokenImport",
  "token.reveal": "audit.tokenReveal",
  "token.rotate": "audit.tokenRotate",
  "token.status": "audit.tokenStatus",
  "token.update": "audit.tokenUpdate",
  "user.access-token": "audit.userAccessToken",
  "user.bind": "audit.userBind",
  "user.create": "audit.userCreate",
  "user.delete": "audit.userDelete",
  "user.end-sessions": "audit.userEndSessions",
  "user.import": "audit.userImport",
  "user.login": "audit.userLogin",
  "user.manage": "audit.userManage",
  "user.register": "audit.userRegister",
  "user.reset-password": "audit.userResetPassword",
  "user.self-delete": "audit.userSelfDelete",
  "user.self-update": "audit.userSelfUpdate",
  "user.sign-in-closed": "audit.userSignInClosed",
  "user.unbind": "audit.userUnbind",
  "user.undo-mail": "audit.userUndoMail",
  "user.update": "audit.userUpdate",
  "user.waive-debt": "audit.userWaiveDebt",
  "withdrawal.pay": "audit.withdrawalPay",
  "withdrawal.reject": "audit.withdrawalReject",
};

/** Returns the action's name; null: this console does not know the action. */
export function actionName(action: string, t: T): string | null {
  const key = Object.hasOwn(names, action) ? names[action] : undefined;
  return key === undefined ? null : t(key);
}

/**
 * Returns the items of the filter by action. Prefixes such as `user.` come first: each selects all
 * actions on one kind of thing.
 */
export function actionItems(t: T): readonly Item[] {
  const nouns: readonly (readonly [string, TextKey])[] = [
    ["user.", "audit.nounUser"],
    ["second-factor.", "audit.nounFactor"],
    ["token.", "audit.nounToken"],
    ["channel.", "audit.nounChannel"],
    ["option.", "audit.nounOption"],
    ["price.", "audit.nounPrice"],
    ["price-source.", "audit.nounPriceSource"],
  ];
  return [
    ...nouns.map(([value, key]) => ({ value, label: t(key), hint: `${value}*` })),
    ...Object.entries(names).map(([value, key]) => ({ value, label: t(key), hint: value })),
  ];
}
