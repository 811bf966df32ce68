/**
 * What a screen has to say on the sign-in screen it leads to. Toasts would be gone: another frame
 * is drawn around that one.
 */

type News =
  | { readonly kind: "registered" }
  /** Why a sign-in elsewhere failed; `type`: by whom, as it stands in the address. */
  | { readonly kind: "failed"; readonly type: string; readonly error: unknown };

let news: News | null = null;

export function keepNews(next: News): void {
  news = next;
}

/** Null: there is none. */
export function readNews(): News | null {
  return news;
}

export function forgetNews(): void {
  news = null;
}
