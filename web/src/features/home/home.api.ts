import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readHomePage } from "@tollgate/contract/content.ts";
import { listOwnModels } from "@tollgate/contract/models.ts";
import { call } from "#api/call.ts";

/**
 * Key in local storage for the content that was read last. Other consoles of the one-api family use
 * the same key.
 */
export const homeContentKey = "home_page_content";

/**
 * Milliseconds for which a first visit shows an empty page while the content is being read; after
 * that, the default page.
 */
const waitMs = 300;

const staleMs = 60_000;

type HomeContent = {
  /** The content; empty: root wrote none; null: it is still being read. */
  readonly text: string | null;
  readonly error: Error | null;
  readonly retry: () => void;
};

/**
 * Returns the content of the home page; until the server has answered, what was read on the last
 * visit.
 */
export function useHomeContent(): HomeContent {
  const [kept] = useState(() => localStorage.getItem(homeContentKey));
  const isLate = useIsLate();
  const { data, error, refetch } = useQuery({
    queryKey: ["home-content"],
    queryFn: async ({ signal }) => {
      const text = await call(readHomePage, {}, signal);
      localStorage.setItem(homeContentKey, text);
      return text;
    },
    staleTime: staleMs,
  });
  const known = data ?? kept;
  return {
    text: known ?? (isLate || error !== null ? "" : null),
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  };
}

/**
 * Returns a model that the signed-in user can call, for the example; undefined: there is none, or
 * the models are not read yet.
 */
export function useFirstModel(isSignedIn: boolean): string | undefined {
  const { data } = useQuery({
    queryKey: ["home-models"],
    queryFn: async ({ signal }) => await call(listOwnModels, {}, signal),
    enabled: isSignedIn,
    staleTime: staleMs,
  });
  return data?.[0];
}

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), waitMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}
