/**
 * Addresses that the specification defines and that this console has as another screen: the editors
 * of the specification are sheets of lists here.
 */

export type Redirect = {
  readonly path: string;
  /** Returns the address to redirect to; `id` is the value of `$id` in the path. */
  readonly to: (id: string) => string;
};

export const redirects: readonly Redirect[] = [
  { path: "/channel/add", to: () => "/channel?open=new" },
  { path: "/channel/edit/$id", to: (id) => `/channel?open=${encodeURIComponent(id)}` },
  { path: "/user/edit", to: () => "/setting?tab=personal" },
  { path: "/user/edit/$id", to: (id) => `/user?open=${encodeURIComponent(id)}` },
];
