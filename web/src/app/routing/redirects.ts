/** Addresses of the specification that lead to another screen: its editors are sheets of lists. */

export type Redirect = {
  readonly path: string;
  /** `id` is the value of `$id` in the path. */
  readonly to: (id: string) => string;
};

export const redirects: readonly Redirect[] = [
  { path: "/channel/add", to: () => "/channel?open=new" },
  { path: "/channel/edit/$id", to: (id) => `/channel?open=${encodeURIComponent(id)}` },
  { path: "/user/edit", to: () => "/setting?tab=personal" },
  { path: "/user/edit/$id", to: (id) => `/user?open=${encodeURIComponent(id)}` },
];
