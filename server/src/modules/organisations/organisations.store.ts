/** What runs beside the database for organisations. */

import { defineStore, type RemoteStore } from "#db/store.ts";
import * as accounts from "./accounts.ts";
import * as keys from "./keys.ts";
import * as memberships from "./memberships.ts";
import * as projects from "./projects.ts";
import { readUse } from "./use.repo.ts";

export const organisationStore = defineStore({
  reads: {
    checkBilling: accounts.checkBilling,
    listInvitations: memberships.listInvitations,
    listKeys: keys.listKeys,
    listMemberships: memberships.listMemberships,
    listOwn: accounts.listOwn,
    listProjects: projects.listProjects,
    pageOrganisations: accounts.pageOrganisations,
    readInvitation: memberships.readInvitation,
    readOwn: accounts.readOwn,
    readScope: accounts.readScope,
    readUse,
  },
  writes: {
    acceptInvitation: memberships.acceptInvitation,
    adjustOrganisation: accounts.adjustOrganisation,
    changeMembership: memberships.changeMembership,
    closeOrganisation: accounts.closeOrganisation,
    createKey: keys.createKey,
    createOrganisation: accounts.createOrganisation,
    createProject: projects.createProject,
    endMembership: memberships.endMembership,
    invite: memberships.invite,
    removeKey: keys.removeKey,
    renameOrganisation: accounts.renameOrganisation,
    revealKey: keys.revealKey,
    switchKey: keys.switchKey,
    transfer: accounts.transfer,
    transferOwnership: memberships.transferOwnership,
    updateOrganisation: accounts.updateOrganisation,
    updateProject: projects.updateProject,
    withdrawInvitation: memberships.withdrawInvitation,
  },
});

export type OrganisationStore = RemoteStore<typeof organisationStore>;
