/** The API calls of organisations. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as people from "@tollgate/contract/endpoints/organisation-people.ts";
import * as projects from "@tollgate/contract/endpoints/organisation-projects.ts";
import {
  mayDo,
  type OrganisationRight,
  type OrganisationRole,
} from "@tollgate/contract/endpoints/organisation-rights.ts";
import * as contract from "@tollgate/contract/endpoints/organisations.ts";
import { call, type InputOf } from "#api/call.ts";

const all = ["organisations"] as const;

/** The caller's role in an organisation; `root`: root, who does not belong to it. */
export type OwnRole = OrganisationRole | "root";

/** Whether whoever has this role sees what needs a right. */
export function has(role: OwnRole, right: OrganisationRight): boolean {
  return role === "root" || mayDo(role, right);
}

export function useOwnOrganisations() {
  return useQuery({
    queryKey: [...all, "own"],
    queryFn: ({ signal }) => call(contract.listOwnOrganisations, {}, signal),
  });
}

/** Reads the newest organisations of the installation, for root. */
export function useAllOrganisations(enabled: boolean) {
  return useQuery({
    queryKey: [...all, "all"],
    queryFn: ({ signal }) => call(contract.listOrganisations, { page_size: 100 }, signal),
    enabled,
  });
}

export function useOrganisation(id: number) {
  return useQuery({
    queryKey: [...all, id],
    queryFn: ({ signal }) => call(contract.readOrganisation, { id }, signal),
  });
}

export function useOrganisationUse(id: number) {
  return useQuery({
    queryKey: [...all, id, "use"],
    queryFn: ({ signal }) => call(contract.readOrganisationUse, { id }, signal),
  });
}

export function useMemberships(id: number) {
  return useQuery({
    queryKey: [...all, id, "memberships"],
    queryFn: ({ signal }) => call(people.listMemberships, { id }, signal),
  });
}

export function useInvitations(id: number, enabled: boolean) {
  return useQuery({
    queryKey: [...all, id, "invitations"],
    queryFn: ({ signal }) => call(people.listInvitations, { id }, signal),
    enabled,
  });
}

export function useProjects(id: number) {
  return useQuery({
    queryKey: [...all, id, "projects"],
    queryFn: ({ signal }) => call(projects.listProjects, { id }, signal),
  });
}

export function useKeys(id: number) {
  return useQuery({
    queryKey: [...all, id, "keys"],
    queryFn: ({ signal }) => call(projects.listOrganisationKeys, { id }, signal),
  });
}

/** Reads to what an invitation invites. */
export function useInvitation(secret: string) {
  return useQuery({
    queryKey: [...all, "invitation", secret],
    queryFn: ({ signal }) => call(people.readInvitation, { secret }, signal),
    enabled: secret !== "",
    retry: false,
  });
}

function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    async onSettled() {
      // A transfer changes the own balance as well.
      void queries.invalidateQueries({ queryKey: ["self"] });
      await queries.invalidateQueries({ queryKey: all });
    },
  });
}

export const useCreateOrganisation = () =>
  useChange((input: InputOf<typeof contract.createOrganisation>) =>
    call(contract.createOrganisation, input),
  );

export const useUpdateOrganisation = () =>
  useChange((input: InputOf<typeof contract.updateOrganisation>) =>
    call(contract.updateOrganisation, input),
  );

export const useTransferQuota = () =>
  useChange((input: InputOf<typeof contract.transferQuota>) => call(contract.transferQuota, input));

export const useCloseOrganisation = () =>
  useChange((input: InputOf<typeof contract.closeOrganisation>) =>
    call(contract.closeOrganisation, input),
  );

export const useChangeMembership = () =>
  useChange((input: InputOf<typeof people.changeMembership>) =>
    call(people.changeMembership, input),
  );

export const useEndMembership = () =>
  useChange((input: InputOf<typeof people.endMembership>) => call(people.endMembership, input));

export const useTransferOwnership = () =>
  useChange((input: InputOf<typeof people.transferOwnership>) =>
    call(people.transferOwnership, input),
  );

export const useInvite = () =>
  useChange((input: InputOf<typeof people.invite>) => call(people.invite, input));

export const useWithdrawInvitation = () =>
  useChange((input: InputOf<typeof people.withdrawInvitation>) =>
    call(people.withdrawInvitation, input),
  );

export const useAcceptInvitation = () =>
  useChange((secret: string) => call(people.acceptInvitation, { secret }));

export const useCreateProject = () =>
  useChange((input: InputOf<typeof projects.createProject>) => call(projects.createProject, input));

export const useUpdateProject = () =>
  useChange((input: InputOf<typeof projects.updateProject>) => call(projects.updateProject, input));

export const useCreateKey = () =>
  useChange((input: InputOf<typeof projects.createOrganisationKey>) =>
    call(projects.createOrganisationKey, input),
  );

export const useSwitchKey = () =>
  useChange((input: InputOf<typeof projects.switchOrganisationKey>) =>
    call(projects.switchOrganisationKey, input),
  );

export const useRemoveKey = () =>
  useChange((input: InputOf<typeof projects.removeOrganisationKey>) =>
    call(projects.removeOrganisationKey, input),
  );

/** Reads the text of a key. */
export async function revealKey(id: number, token: number): Promise<string> {
  return (await call(projects.revealOrganisationKey, { id, token })).key;
}
