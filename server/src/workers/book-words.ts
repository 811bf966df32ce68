/**
 * Which functions of the stores have to do with the books: log rows, entries, balances, counters,
 * sums and budgets. Before such a function runs, everything is written into the books that was
 * committed to the journal before it was called, so whoever has seen the end of an answer finds that
 * call in what it reads. Every function has its word here; only those named `beside` do not wait.
 */

/** `of`: the functions that wait for the books; `beside`: those that share no row with them. */
type Words = { readonly of: string; readonly beside: string };

/** By noun; names of functions, sorted. */
const words: Readonly<Record<string, Words>> = {
  affiliates: { of: "transferEarnings", beside: "readAffCode" },
  agents: {
    of:
      "claimDay endWithdrawal findOpenDay join noteRun pageAgents pageDividends pageEarnings " +
      "pageOwnWithdrawals pageWithdrawals payDividends readAgent readWithdrawer " +
      "requestWithdrawal transferEarnings updateAgent",
    beside: "",
  },
  attempts: { of: "", beside: "giveBackAttempt lookAttempt takeAttempt" },
  audit: { of: "", beside: "pageAudit verifyAudit" },
  bills: { of: "compareBill", beside: "addBillPart beginBill" },
  changes: { of: "", beside: "cleanChanges listChanges readClock" },
  channelStatistics: { of: "readChannelUse", beside: "addAttempts" },
  channels: {
    of:
      "createChannels findChannel findChannelByName pageChannels removeChannels " +
      "removeDisabledChannels updateChannel updateSeveral updateTag",
    beside:
      "claimDue claimRound claimTest findKeyHolders findRound listIds listTestedBefore " +
      "loadChannels markAllChanged noteRound saveBalance saveTest stopRound switchAutomatically",
  },
  checklist: { of: "readSetup readUser", beside: "markSetup markUser" },
  configuration: {
    of: "replaceOwned",
    beside: "listOwned readClock requireVersion",
  },
  conversations: {
    of: "addLink findShared readConversation",
    beside: "listLinks removeLink",
  },
  costs: {
    of: "findCallCost listChannelLosses listCosted pageLosses pageMargins pageVersions saveCosts",
    beside: "readCosts",
  },
  dashboard: { of: "readDashboard readData readLineFacts readPromptCaches", beside: "" },
  hints: { of: "", beside: "listHints tellHints" },
  identities: {
    of: "",
    beside:
      "bindIdentity bindMail findOwner isAddressTaken readAddress saveCode saveState settle " +
      "showIdentity spendProof takeState unbindIdentity undoMailChange",
  },
  imports: { of: "", beside: "listImports openUser" },
  installation: {
    of: "createRoot",
    beside: "addSetupLink claimSecretKey isSetUp isSetupLink ping",
  },
  issuers: { of: "addIssued findAllIssued findIssued readDays removeIssued", beside: "" },
  keptAnswers: {
    of: "",
    beside:
      "findKeptAnswer keepAnswers listRemovedUsers noteAnswersKept prepareAnswers removeAnswers " +
      "wereAnswersKept",
  },
  ledger: {
    of:
      "balancesBefore chargeAgain findLostWrites listBalances listTokenBalances payDebt " +
      "readBalanceDrift readTokenDrift releaseUnowned",
    // `journal/lanes.ts` waits for the books before it calls `applyBatchText`, where that is needed;
    // what is of other nodes is told to this one by the tables alone.
    beside:
      "appendRecord applyBatchText applyEnded applyRecords beat countNodes countRefused endEpochs " +
      "endOtherEpochs findLostNodes hasNode joinNodes noteConfigVersion noteDraining readJournalEnd " +
      "readLineage readSchemaKeys rejoinNodes releaseInterrupted removeNodes storeReport",
  },
  live: {
    of: "",
    beside: "addStop answerStops keepWatch listNodes noteStop putNode readAnswers readOrders",
  },
  logs: {
    of:
      "advanceTotals beginCleaning cleanLogs cleanStep countOldLogs findCharge findCleaning " +
      "findEarlierEndings findLog findReceipt listLogIds noteCleaning noteCleaningTotal " +
      "noteEarlierEndings noteReading noteTextRemoval pageLogs readChart readFacet readFailures " +
      "readLogRows readStatement stopCleaning sumLogs",
    beside: "",
  },
  models: { of: "", beside: "listModelNames" },
  notifications: {
    of:
      "claimBudgetWarnings claimLost claimMoneyNotices claimWarnings findBalanceNews " +
      "findBudgetNews finishBudgetWarning finishMoneyNotice finishWarning hasMoneyNotices " +
      "planContact readAccount",
    beside:
      "claimBroadcast claimNotice findDueBroadcasts findReceiver findRootReceivers findSetting " +
      "findSettings finishReceiver forgetNotice saveSetting",
  },
  options: { of: "", beside: "loadOptions saveOption savePrices" },
  organisations: {
    of:
      "adjustOrganisation checkBilling closeOrganisation createKey createOrganisation listKeys " +
      "listOwn listProjects pageOrganisations readOwn readUse transfer",
    beside:
      "acceptInvitation changeMembership createProject endMembership invite listInvitations " +
      "listMemberships readInvitation readScope removeKey renameOrganisation revealKey switchKey " +
      "transferOwnership updateOrganisation updateProject withdrawInvitation",
  },
  payments: {
    of:
      "applyPayment applyReversal beginRefund createOrder endRefund endRefundByHand findOrder " +
      "findReference findRefunded noteEvent noteEventOnce noteFailure noteReference noteRefund " +
      "pageOrders pageOwnOrders planRefundOf planReversal readGroup readOrder settleByHand " +
      "takeDueOrders",
    beside: "",
  },
  pricing: {
    of: "beginPreview planCharges previewStep readModelStatistics",
    beside:
      "addPreview claimDueSource createSource decideDraft diffVersions dropPreview " +
      "findSource installPrices listSources loadPrices makeDraft noteSync pageDrafts " +
      "pageVersions priceLines readDraft readPreview readUserNames removeSource " +
      "rollBackPrices saveDraft savePreview savePriceBook savePriceChanges updateSource",
  },
  redemptions: {
    of:
      "createRedemptions pageRedemptions readRedemption redeem removeRedemption " +
      "removeRedemptions setStatus setStatuses updateRedemption",
    beside: "",
  },
  registration: { of: "register", beside: "findResettable isCode resetPassword saveCode" },
  rerates: {
    of: "beginRerate beginUndo planUndo stepRerate tellRerate",
    beside: "claimRerate hasOpenRerate pageRerates readRerate stopRerate",
  },
  secondFactor: {
    of: "",
    beside:
      "addPasskey confirmTotp disableTotp failTicket findPasskey findPerson findTicket " +
      "isKnownPlace openTicket proveByCode readFactorTime readFactors readSessionStart " +
      "removePasskey renamePasskey renewCodes resetFactors saveSecret spendPasskey takeTicket",
  },
  sessions: {
    of: "",
    beside:
      "endOtherSessions endOwnSession endSession findAccessToken findSession hasGivenPassword " +
      "listOwnSessions seeSession startSession",
  },
  signIn: {
    of: "",
    beside:
      "addBotPass expirePassword findCredentials forgetFailures isKnownPlace noteFailure " +
      "readFailures replaceHash spendBotPass",
  },
  tasks: {
    of:
      "endUnsubmitted failTask findDrawing findTask findTasks findUpstreamTask listTasks moveTask " +
      "noteState noteSubmitted pageTasks planTasks",
    beside: "addTask claimDue dropResult dropTask",
  },
  tokens: {
    of:
      "createToken endOldKey markToken pageTokens readBudgetStates readOwnerGroup readToken " +
      "removeToken removeTokens revealToken revealTokens rotateToken updateToken",
    beside:
      "adoptKey findByLookup findLookup freezeToken hasMoreTokens isLookupTaken loadTokens " +
      "loadTokensAfter setStatus setStatuses touchTokens",
  },
  transcripts: {
    of: "",
    beside:
      "keep listRemovedUsers noteKept prepareTranscripts readTranscript removeTranscripts wereKept",
  },
  users: {
    of:
      "changeUsers createUser editSelf editUser findByName manageUser pageEntries " +
      "pageEntriesForAdmin readBalanceChange " +
      "pageUsers planQuota readForAdmin readHourSums readSelf removeSelf removeUser " +
      "setAccessToken waiveDebt",
    beside: "loadUsers loadUsersAfter readPasswordHash",
  },
  views: { of: "", beside: "listViews removeView saveView" },
};

/** What a function of a store has to do with the books; undefined: that is not said. */
export function bookWord(noun: string, name: string): "beside" | "of" | undefined {
  const own = Object.hasOwn(words, noun) ? words[noun] : undefined;
  if (own?.beside.split(" ").includes(name) === true) return "beside";
  return own?.of.split(" ").includes(name) === true ? "of" : undefined;
}

/** Every function that has a word, as `noun.name`. */
export function wordedFunctions(): readonly string[] {
  return Object.entries(words).flatMap(([noun, { of, beside }]) =>
    [...of.split(" "), ...beside.split(" ")]
      .filter((name) => name !== "")
      .map((name) => `${noun}.${name}`),
  );
}
