/** The API calls of conversations and of the links to them. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createConversationLink,
  listConversationLinks,
  readConversation,
  readSharedConversation,
  removeConversationLink,
} from "@tollgate/contract/endpoints/conversations.ts";
import { call } from "#api/call.ts";

export function useConversation(id: number) {
  return useQuery({
    queryKey: ["conversation", id],
    queryFn: ({ signal }) => call(readConversation, { id }, signal),
  });
}

const linksKey = (id: number) => ["conversation-links", id];

export function useLinks(id: number) {
  return useQuery({
    queryKey: linksKey(id),
    queryFn: ({ signal }) => call(listConversationLinks, { id }, signal),
  });
}

export function useCreateLink(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (days: number) => call(createConversationLink, { id, days }),
    onSettled: () => queries.invalidateQueries({ queryKey: linksKey(id) }),
  });
}

export function useRemoveLink(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (link: number) => call(removeConversationLink, { id: link }),
    onSettled: () => queries.invalidateQueries({ queryKey: linksKey(id) }),
  });
}

export function useShared(secret: string) {
  return useQuery({
    queryKey: ["shared-conversation", secret],
    queryFn: ({ signal }) => call(readSharedConversation, { secret }, signal),
    retry: false,
  });
}
